import Dispatch

/// A handler that waits for a promise to settle.
struct Handler: Waiting {
    let work: Work
    let place: Place
    let interest: _Interest

    var counts: Bool { !interest.contains(.uncounted) }

    /// The same handler once its promise was canceled but outlives that: it no longer counts as a dependent, and no
    /// longer keeps that promise alive. Anything that waits for the promise does, because it holds what it waits for.
    var uncounted: Handler {
        guard counts else { return self }
        let work = Work { [weak promise = work.promise, body = work.body] _ in promise.map(body) }
        return Handler(work: work, place: place, interest: interest.union(.uncounted))
    }

    /// Returns where the handler runs: inline for an outcome that it only passes on, which runs no foreign code.
    @inline(__always) func place(after outcome: PromiseStorage.State.Phase) -> Place {
        interest.contains(outcome == .fulfilled ? .values : .errors) ? place : .here
    }
}

/// Work to do once a promise has settled.
struct Work: @unchecked Sendable {
    // Unchecked: it is run once, by the code it is handed to.

    /// The promise to settle or, if there is none, the promise it waits for.
    var promise = PromiseStorage.nobody
    let body: PromiseStorage.Run

    @inline(__always) func run() { body(promise) }
}

/// The outcomes a handler is interested in.
@usableFromInline struct _Interest: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable static var values: _Interest { _Interest(rawValue: 1) }
    @inlinable static var errors: _Interest { _Interest(rawValue: 2) }
    @inlinable static var outcomes: _Interest { [.values, .errors] }
    /// The handler ends a chain, for which ``PromiseConfiguration`` may specify another queue.
    @inlinable static var end: _Interest { _Interest(rawValue: 4) }
    /// The handler's promise was canceled, so it no longer counts as a dependent.
    static var uncounted: _Interest { _Interest(rawValue: 8) }
}

/// The place where a handler runs.
enum Place {
    /// On the thread that settles the promise.
    case here
    /// On the default queue. Flags have no effect there, because its blocks aren't the handlers.
    case pledge
    /// On another queue. Allocated separately, so that a place is one word.
    indirect case queue(DispatchQueue, DispatchWorkItemFlags)

    @inline(__always) init(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) {
        self = queue.map { $0 === DispatchQueue.pledge ? .pledge : .queue($0, flags ?? []) } ?? .here
    }
}

extension DispatchQueue {
    /// Submits handlers to this queue as one block.
    func send(_ works: [Work], _ flags: DispatchWorkItemFlags) {
        // Each in a pause: this may be the main queue, served by a `wait` inside a step.
        async(flags: flags) { for work in works { Trampoline.pause(work.run) } }
    }
}
