import Dispatch

internal import PledgeLock

/// Work that waits for a promise to settle. A handler also says on which queue the work runs, and for which outcomes
/// the work calls a closure of the user.
struct Handler: Waiting {
    var work: Work
    let queue: Queue
    let options: _HandlerOptions

    /// Where a handler runs.
    enum Queue {
        /// On the thread that settles the promise, because the user wrote `on: nil`.
        case inline
        /// On the default queue. Work item flags have no effect there, because a block of that queue runs many
        /// handlers.
        case pledge
        /// On another queue. The case is indirect, so that a handler needs only one word to store its queue.
        indirect case dispatch(DispatchQueue, DispatchWorkItemFlags)
        /// On the thread that settles the promise, because the handler only passes the outcome on and runs no foreign
        /// code.
        case passing

        @inline(__always) init(_ queue: DispatchQueue?, _ flags: DispatchWorkItemFlags?) {
            self = queue.map { $0 === DispatchQueue.pledge ? .pledge : .dispatch($0, flags ?? []) } ?? .inline
        }

        var isInline: Bool { if case .inline = self { true } else { false } }

        /// Submits work to the queue. Returns false, without running the work, if the handler runs without a queue.
        @inline(__always) func submit(_ work: Work) -> Bool {
            switch self {
            case .pledge: DefaultQueue.shared.append(work)
            case .dispatch(let queue, let flags): Self.submit(work, to: queue, flags)
            case .inline, .passing: return false
            }
            return true
        }

        private static func submit(_ work: Work, to queue: DispatchQueue, _ flags: DispatchWorkItemFlags) {
            nonisolated(unsafe) var work: Work? = work
            // Unsafe: only this block uses the variable. The block takes the work out of it, because Dispatch may
            // release the block, and what it captured, some time after it has run.
            queue.async(flags: flags) { DefaultQueue.runBlock { if let work = work.take() { Work.run(consume work) } } }
        }
    }

    var counts: Bool { !options.contains(.uncounted) }

    /// The promise that the work settles, or nil if it was already released because the handler doesn't keep it alive.
    var promise: PromiseStorage? { if let unheld = work.promise as? Unheld { unheld.promise } else { work.promise } }

    /// Returns a copy of this handler that no longer counts as a dependent. The copy replaces the handler of a promise
    /// that was canceled but continues to wait.
    ///
    /// - Parameter holds: Whether the handler keeps its promise alive. If not, the promise lives only as long as
    ///   something else refers to it.
    func uncounted(holds: Bool) -> Handler {
        let promise = holds || options.contains(.unheld) ? work.promise : Unheld(work.promise)
        return Handler(
            work: Work(promise: promise, body: work.body), queue: queue,
            options: options.union(holds ? .uncounted : [.uncounted, .unheld]))
    }

    /// Keeps the handler's promise alive from now on, because the handler is about to run. If the promise was already
    /// released, the handler does nothing.
    ///
    /// - Returns: The former work. Don't release it while a lock is held: if the handler now does nothing, releasing the
    ///   closure of the former work may run foreign code.
    @inline(__always) mutating func keepPromise() -> Work? {
        // Usually, this returns at once. Copying the work in every case would cost as much as the rest of a delivery.
        guard options.contains(.unheld) else { return nil }
        let former = work
        work = promise.map { Work(promise: $0, body: work.body) } ?? Work { _ in }
        return former
    }

    /// Returns where the handler runs after this outcome. A handler that only passes this outcome on needs no queue.
    @inline(__always) func queue(after outcome: PromiseStorage.State.Phase) -> Queue {
        options.contains(outcome == .fulfilled ? .values : .errors) ? queue : .passing
    }
}

/// Contains a weak reference to a promise. It takes the place of the promise in a handler that doesn't keep its promise
/// alive.
private final class Unheld: PromiseStorage, @unchecked Sendable {
    // Unchecked: a weak reference is safe to read from any thread, and this one is never changed after initialization.
    weak var promise: PromiseStorage?

    init(_ promise: PromiseStorage) { self.promise = promise }
}

/// A closure, together with the promise that the closure receives as its argument.
struct Work: @unchecked Sendable {
    // Unchecked: only one thread at a time has the work, and the work is run once.

    /// The promise that the closure settles, or a placeholder if it settles none.
    var promise = PromiseStorage.placeholder
    let body: PromiseStorage.Run

    /// Runs the closure, and then releases what the closure captured.
    ///
    /// While the captured values are released, `pledge_releasing` returns the promise. So if one of these values is a
    /// resolver, it is known to belong to the promise. While the closure runs, `pledge_releasing` returns nil, because a
    /// resolver that a closure releases while it runs doesn't belong to the chain.
    @inline(__always) static func run(_ work: consuming Work) {
        let promise = work.promise
        let outer = pledge_releasing()
        pledge_set_releasing(nil)
        (consume work).finish()
        pledge_set_releasing(outer)
        withExtendedLifetime(promise) {}
    }

    @inline(__always) private consuming func finish() {
        // The closure is in a variable, so that it is released here. If `withExtendedLifetime` kept it alive instead, a
        // hop of a chain would cost 17 % more.
        var body: PromiseStorage.Run? = body
        body?(promise)
        pledge_set_releasing(Unmanaged.passUnretained(promise).toOpaque())
        body = nil
    }
}

extension PromiseStorage {
    /// Whether the calling thread is releasing closures of a promise that was canceled. If a resolver is released at
    /// that time, it belongs to a canceled chain, and so it wasn't forgotten.
    static var isPassingCancel: Bool {
        // Unsafe: as long as this pointer is set, `Work.run`, or the code that cancels the promise, keeps the promise
        // alive.
        guard let here = pledge_releasing() else { return false }
        let promise = Unmanaged<PromiseStorage>.fromOpaque(here).takeUnretainedValue()
        return promise.isCancelled || promise.isFulfilled == false && promise.failure?.isCancelled == true
    }
}

/// Flags of a handler. The first two are the outcomes for which the handler calls a closure of the user. An internal
/// handler, which only passes outcomes on, has no flags.
@usableFromInline struct _HandlerOptions: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable static var values: _HandlerOptions { _HandlerOptions(rawValue: 1) }
    static var errors: _HandlerOptions { _HandlerOptions(rawValue: 2) }
    static var outcomes: _HandlerOptions { [.values, .errors] }
    /// The handler ends a chain. ``PromiseConfiguration`` may specify another default queue for such handlers.
    @inlinable static var end: _HandlerOptions { _HandlerOptions(rawValue: 4) }
    /// The handler's promise was canceled, so the handler no longer counts as a dependent.
    static var uncounted: _HandlerOptions { _HandlerOptions(rawValue: 8) }
    /// The handler's promise was canceled, and the handler doesn't keep that promise alive.
    static var unheld: _HandlerOptions { _HandlerOptions(rawValue: 16) }
}

/// An element of a ``HandlerList``, usually a handler.
protocol Waiting {
    /// Whether the handler counts as a dependent of the promise that it waits for. A cancel from below doesn't cancel a
    /// promise that has dependents.
    var counts: Bool { get }
}

/// The number of a handler in a list. A list never assigns the same number twice.
typealias Ticket = UInt64

/// A list of handlers in the order in which they were added. Each handler has a ticket, with which it can be found and
/// removed.
struct HandlerList<Handler: Waiting> {
    /// A handler and its ticket. Removing the handler leaves a gap, which is an entry whose handler is nil.
    typealias Entry = (handler: Handler?, ticket: Ticket)

    /// Sorted by ticket, for binary search. If more than half of the entries are gaps, and there are more than 16
    /// entries, the gaps are removed.
    private var entries: [Entry] = []
    private var lastTicket: Ticket = 0
    private(set) var count = 0
    /// The number of handlers that count as dependents.
    private(set) var counted = 0

    /// Adds a handler, and returns its ticket. Tickets are consecutive and start at 1.
    mutating func append(_ handler: consuming Handler) -> Ticket {
        lastTicket += 1
        tally(handler, 1)
        entries.append((handler, lastTicket))
        return lastTicket
    }

    /// Replaces the handler with this ticket, or removes it if `change` returns nil. Returns the handler that was there
    /// before, or nil if the list has no handler with this ticket.
    mutating func change(_ ticket: Ticket, _ change: (Handler) -> Handler?) -> Handler? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].ticket == ticket, let former = entries[low].handler else { return nil }
        let handler = change(former)
        tally(former, -1)
        if let handler { tally(handler, 1) }
        entries[low].handler = handler
        if entries.count > 16, entries.count > 2 * count { entries.removeAll { $0.handler == nil } }
        return former
    }

    private mutating func tally(_ handler: Handler, _ step: Int) {
        count += step
        if handler.counts { counted += step }
    }

    var all: [Handler] { entries.compactMap(\.handler) }

    /// Removes and returns all entries, including the gaps.
    mutating func takeAll() -> [Entry] {
        defer { self = HandlerList() }
        return entries
    }
}
