import Dispatch

/// What waits for a promise.
struct Handler: Waiting {
    let work: Work
    let place: Place
    let interest: _Interest

    var counts: Bool { !interest.contains(.uncounted) }

    /// The same handler once its promise has been cancelled and outlives that: it no longer counts, and keeps that
    /// promise alive no more. Whoever waits for a promise does, as it holds what it waits for.
    var uncounted: Handler {
        guard counts else { return self }
        let work = Work { [weak promise = work.promise, body = work.body] _ in promise.map(body) }
        return Handler(work: work, place: place, interest: interest.union(.uncounted))
    }

    /// Where it runs. What it does not look at it passes on, which is nobody's code, and needs no queue.
    @inline(__always) func place(after outcome: _PromiseStorage.State.Phase) -> Place {
        interest.contains(outcome == .fulfilled ? .values : .errors) ? place : .here
    }
}

/// What is to be done once a promise has settled.
struct Work: @unchecked Sendable {
    // Unchecked: it is run once, by whoever it is handed to.

    /// What it is to settle or, if that is nothing, what it waits for.
    var promise = _PromiseStorage.nobody
    let body: _PromiseStorage.Run

    @inline(__always) func run() { body(promise) }
}

/// What a handler looks at.
@usableFromInline struct _Interest: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable static var values: _Interest { _Interest(rawValue: 1) }
    @inlinable static var errors: _Interest { _Interest(rawValue: 2) }
    @inlinable static var outcomes: _Interest { [.values, .errors] }
    /// It ends a chain, for which ``PromiseConfiguration`` may name another queue.
    @inlinable static var end: _Interest { _Interest(rawValue: 4) }
    /// Its promise was cancelled, and would not miss it.
    static var uncounted: _Interest { _Interest(rawValue: 8) }
}

/// Where a handler runs.
enum Place {
    /// In the thread that settles.
    case here
    /// On the default queue. Flags mean nothing there: its blocks are not the handlers.
    case pledge
    /// In memory of its own, so that a place is one word.
    indirect case queue(DispatchQueue, DispatchWorkItemFlags)

    @inline(__always) init(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) {
        self = queue.map { $0 === DispatchQueue.pledge ? .pledge : .queue($0, flags ?? []) } ?? .here
    }
}

extension DispatchQueue {
    /// Sends handlers there as one block.
    func send(_ works: [Work], _ flags: DispatchWorkItemFlags) {
        // Each in a pause: the queue may be the main one, served by somebody who waits inside a step.
        async(flags: flags) { for work in works { Trampoline.pause(work.run) } }
    }
}
