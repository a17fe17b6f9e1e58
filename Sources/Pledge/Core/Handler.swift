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

    /// Where it runs, with the configured queue looked up. What it does not look at it passes on, which is nobody's code,
    /// and needs no queue.
    @inline(__always) func place(after outcome: _PromiseStorage.State.Phase) -> Place {
        guard interest.contains(outcome == .fulfilled ? .values : .errors) else { return .here }
        return switch place {
        case .configured: PromiseConfiguration.place(endsChain: interest.contains(.end))
        case .queue(let queue, let flags) where queue === DispatchQueue.configured:
            PromiseConfiguration.place(endsChain: interest.contains(.end), flags)
        default: place
        }
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
    /// On the default queue, whatever is configured. Flags mean nothing there: its blocks are not the handlers.
    case pledge
    /// On the queue that is configured, which is the default queue unless an app says otherwise.
    case configured
    /// In memory of its own, so that a place is one word.
    indirect case queue(DispatchQueue, DispatchWorkItemFlags)

    @inline(__always) init(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) {
        if queue === DispatchQueue.configured, flags == nil {
            self = .configured
        } else if queue === DispatchQueue.pledge {
            self = .pledge
        } else {
            self = queue.map { .queue($0, flags ?? []) } ?? .here
        }
    }
}

extension DispatchQueue {
    /// Sends handlers there as one block.
    func send(_ works: [Work], _ flags: DispatchWorkItemFlags) {
        // Each in a pause: the queue may be the main one, served by somebody who waits inside a step.
        async(flags: flags) { for work in works { Trampoline.pause(work.run) } }
    }
}

/// Handlers that become due together: those that name the same queue go there as one block.
struct Batches {
    private var here: [Work] = []
    private var others: [(queue: DispatchQueue, flags: DispatchWorkItemFlags, works: [Work])] = []

    mutating func add(_ work: consuming Work, to place: Place) {
        switch place {
        case .here: here.append(work)
        case .pledge, .configured: DefaultQueue.shared.append(work)
        case .queue(let queue, let flags):
            // Only the last block for a queue is added to, so that flags do not change the order.
            if let last = others.lastIndex(where: { $0.queue === queue }), others[last].flags == flags {
                others[last].works.append(work)
            } else {
                others.append((queue, flags, [work]))
            }
        }
    }

    consuming func send() {
        for (queue, flags, works) in others { queue.send(works, flags) }
        for work in here { Trampoline.run(work) }
    }
}
