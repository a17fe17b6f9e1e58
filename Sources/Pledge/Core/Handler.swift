import Dispatch

/// A handler that waits for a promise to settle.
struct Handler: Waiting {
    let work: Work
    let queue: Queue
    let interest: _Interest

    /// Where a handler runs.
    enum Queue {
        /// On the thread that settles the promise, because the caller wrote `on: nil`.
        case inline
        /// On the default queue. Flags have no effect there, because its blocks aren't the handlers.
        case pledge
        /// On another queue. Allocated separately, so that a handler's queue is one word.
        indirect case dispatch(DispatchQueue, DispatchWorkItemFlags)
        /// On the thread that settles the promise, as an internal step, which runs no foreign code.
        case passing

        @inline(__always) init(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) {
            self = queue.map { $0 === DispatchQueue.pledge ? .pledge : .dispatch($0, flags ?? []) } ?? .inline
        }

        var isInline: Bool { if case .inline = self { true } else { false } }

        /// Submits work to the queue, as a block of its own. Returns false if there is none.
        @inline(__always) func submits(_ work: Work) -> Bool {
            switch self {
            case .pledge: DefaultQueue.shared.append(work)
            case .dispatch(let queue, let flags): queue.async(flags: flags) { DefaultQueue.runBlock(work.run) }
            case .inline, .passing: return false
            }
            return true
        }
    }

    var counts: Bool { !interest.contains(.uncounted) }

    /// The same handler once its promise was canceled but still waits: it no longer counts as a dependent, nor keeps that
    /// promise alive. What waits for the promise does; but an `ensure` runs even if nothing does.
    ///
    /// - Parameter runs: Whether the handler's closure is still to run. Otherwise, it is released.
    func uncounted(runs: Bool, isCleanup: Bool) -> Handler {
        let interest = interest.union(.uncounted)
        guard counts, !isCleanup else { return Handler(work: work, queue: queue, interest: interest) }
        // An internal step of a canceled promise can only reject it with the error it was canceled with.
        let body = runs || self.interest.isEmpty ? work.body : { $0.reject(PromiseError.cancelled) }
        let late = Work { [weak promise = work.promise] _ in promise.map(body) }
        return Handler(work: late, queue: runs ? queue : .passing, interest: interest)
    }

    /// Returns where the handler runs after an outcome. One that it only passes on needs no queue.
    @inline(__always) func queue(after outcome: PromiseStorage.State.Phase) -> Queue {
        interest.contains(outcome == .fulfilled ? .values : .errors) ? queue : .passing
    }
}

/// Work to do once a promise has settled.
struct Work: @unchecked Sendable {
    // Unchecked: it is run once, by the code it is handed to.

    /// The promise to settle, if there is one.
    var promise = PromiseStorage.placeholder
    let body: PromiseStorage.Run

    @inline(__always) func run() { body(promise) }
}

/// The outcomes for which a handler runs a closure of the caller. An internal step has none.
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
