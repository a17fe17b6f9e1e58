import Dispatch
import Foundation

internal import PledgeLock

/// A handler that waits for a promise to settle.
struct Handler: Waiting {
    var work: Work
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
            // Unsafe: only the block has it. Taken, because Dispatch releases a block later.
            queue.async(flags: flags) { DefaultQueue.runBlock { if let work = work.take() { Work.run(consume work) } } }
        }
    }

    var counts: Bool { !interest.contains(.uncounted) }

    /// The same handler once its promise was canceled but still waits: it no longer counts as a dependent. If it
    /// doesn't hold the promise, only what waits for the promise keeps it alive until the handler is due.
    func uncounted(holds: Bool) -> Handler {
        let promise = holds || interest.contains(.unheld) ? work.promise : Unheld(work.promise)
        return Handler(
            work: Work(promise: promise, body: work.body), queue: queue,
            interest: interest.union(holds ? .uncounted : [.uncounted, .unheld]))
    }

    /// Keeps its promise alive from now on, because it is due.
    @inline(__always) mutating func keepPromise() {
        // Nothing else here: a copy would cost as much as the rest of a delivery.
        guard interest.contains(.unheld) else { return }
        work = (work.promise as? Unheld)?.promise.map { Work(promise: $0, body: work.body) } ?? Work { _ in }
    }

    /// Returns where the handler runs after an outcome. One that it only passes on needs no queue.
    @inline(__always) func queue(after outcome: PromiseStorage.State.Phase) -> Queue {
        interest.contains(outcome == .fulfilled ? .values : .errors) ? queue : .passing
    }
}

/// Stands for a promise that is not kept alive.
private final class Unheld: PromiseStorage, @unchecked Sendable {
    // Unchecked: a weak reference is safe to read from any thread, and is never written again.
    weak var promise: PromiseStorage?

    init(_ promise: PromiseStorage) { self.promise = promise }
}

/// Work to do once a promise has settled.
struct Work: @unchecked Sendable {
    // Unchecked: it is run once, by the code it is handed to.

    /// The promise to settle, if there is one.
    var promise = PromiseStorage.placeholder
    let body: PromiseStorage.Run

    /// Runs the work, and then releases what it captured, with its promise as the thread's current one. There is none
    /// while it runs: what a closure lets go doesn't belong to the chain.
    @inline(__always) static func run(_ work: consuming Work) {
        let promise = work.promise
        let outer = pledge_promise()
        pledge_set_promise(nil)
        (consume work).finish()
        pledge_set_promise(outer)
        withExtendedLifetime(promise) {}
    }

    @inline(__always) private consuming func finish() {
        // A variable, so that it is released here: kept alive with `withExtendedLifetime`, a hop costs 17 % more.
        var body: PromiseStorage.Run? = body
        body?(promise)
        if pledge_promise() == nil { pledge_set_promise(Unmanaged.passUnretained(promise).toOpaque()) }
        body = nil
    }
}

extension PromiseStorage {
    /// Stands for a promise that was canceled.
    static let canceled = {
        let storage = PromiseStorage()
        storage.reject(PromiseError.cancelled)
        return storage
    }()

    /// Whether the calling thread releases what waited for a promise that was canceled.
    static var isPassingCancel: Bool {
        // Unsafe: it points to a promise that `Work.run`, or the code that cancels it, keeps alive meanwhile.
        guard let here = pledge_promise() else { return false }
        let promise = Unmanaged<PromiseStorage>.fromOpaque(here).takeUnretainedValue()
        return promise.isCancelled
            || promise.isFulfilled(handling: false) == false && promise.failure?.isCancelled == true
    }

    /// Marks the handler that the calling thread runs as one that ignores a cancellation.
    @usableFromInline static func passCancel() { pledge_set_promise(Unmanaged.passUnretained(canceled).toOpaque()) }
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
    /// The handler doesn't keep that promise alive, either.
    static var unheld: _Interest { _Interest(rawValue: 16) }
}

/// A handler that waits in a list.
protocol Waiting {
    /// Whether it counts as a dependent. If not, it doesn't stop a cancel from propagating.
    var counts: Bool { get }
}

/// The number of a handler, unique among all that were ever added to a list.
typealias Ticket = UInt64

/// Handlers in the order they were added, each with a ticket for removing it. A value type.
struct HandlerList<Handler: Waiting> {
    /// A handler and its ticket. A nil handler is the gap left by one that was removed.
    typealias Entry = (handler: Handler?, ticket: Ticket)

    /// Sorted by ticket, for binary search. Compacted once more than half of the entries are gaps.
    private var entries: [Entry] = []
    private var lastTicket: Ticket = 0
    private(set) var count = 0
    /// The number of handlers that count as dependents.
    private(set) var counted = 0

    /// Adds a handler and returns its ticket. Tickets are consecutive, starting at 1.
    mutating func append(_ handler: consuming Handler) -> Ticket {
        lastTicket += 1
        tally(handler, 1)
        entries.append((handler, lastTicket))
        return lastTicket
    }

    /// Replaces a handler, or removes it if `change` returns nil. Returns the former one; nil if it is not listed.
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

    /// Removes and returns all entries, including gaps.
    mutating func takeAll() -> [Entry] {
        defer { self = HandlerList() }
        return entries
    }
}

/// The private serial queue that runs, in order, the handlers that don't specify a queue. One block runs many of them,
/// because dispatching each would cost as much as the rest of a hop. Their number is bounded, so that other work on
/// that queue isn't starved.
final class DefaultQueue: LockedObject, @unchecked Sendable {
    // Unchecked: `waiting` and `isScheduled` are only accessed under the lock, `due` only by the drain.

    static let shared = DefaultQueue()
    static let turn = 256

    let queue = DispatchQueue(label: "pledge", qos: .userInitiated, autoreleaseFrequency: .workItem)
    private let isMain = DispatchSpecificKey<Bool>()
    @exclusivity(unchecked) private var waiting = FIFO<Work>()
    /// What the drain took from `waiting`, all at once: 7 % of a handler among many, as it doesn't lock for each.
    @exclusivity(unchecked) private var due = FIFO<Work>()
    @exclusivity(unchecked) private var isScheduled = false

    private override init() {
        super.init()
        queue.setSpecific(key: isMain, value: false)
        DispatchQueue.main.setSpecific(key: isMain, value: true)
    }

    /// Whether the calling code is a handler on this queue, or runs on a queue that targets it.
    var isCurrent: Bool {
        // The first check also works inside a `sync` on another queue.
        pledge_drains() || DispatchQueue.getSpecific(key: isMain) == false
    }

    /// Whether this queue or the main one can run nothing else before the calling code returns. Outside a handler, the
    /// main thread serves its queue while it waits; after `dispatchMain()`, other threads do.
    var isBlocked: Bool {
        isCurrent || pledge_handles() && (Thread.isMainThread || DispatchQueue.getSpecific(key: isMain) == true)
    }

    /// Runs a closure of a user as a block of another queue.
    static func runBlock(_ body: () -> Void) {
        pledge_set_handles(true)
        defer { pledge_set_handles(false) }
        // In a pause: this may be the main queue, served by a run loop inside a step.
        Trampoline.pause(body)
    }

    func append(_ work: consuming Work) {
        lock()
        waiting.append(work)
        let starts = !isScheduled
        isScheduled = true
        unlock()
        if starts { queue.async { self.drain() } }
    }

    private func drain() {
        pledge_set_drains(true)
        defer { pledge_set_drains(false) }
        for _ in 0..<Self.turn {
            if due.isEmpty {
                lock()
                swap(&waiting, &due)
                isScheduled = !due.isEmpty
                unlock()
            }
            guard let work = due.popFirst() else { return }
            Work.run(consume work)
        }
        queue.async { self.drain() }
    }
}

internal import PledgeLock

/// Runs the steps that follow from a step of a promise, one after another on the calling thread: a chain settles inline
/// but must not recurse, however long it is. While the thread runs a step, further ones are added to its list.
struct Trampoline {
    private var steps = FIFO<Work>()
    /// The list whose step runs this one.
    private let outer: UnsafeMutablePointer<Trampoline>?
    /// The number of lists that the thread is running one inside another, this one included.
    private let depth: Int

    /// The calling thread's list, while it runs steps.
    private static var here: UnsafeMutablePointer<Trampoline>? {
        // Unsafe: it points into a call of `start` below, which resets it before it returns.
        @inline(__always) get { pledge_trampoline()?.assumingMemoryBound(to: Trampoline.self) }
        @inline(__always) set { pledge_set_trampoline(newValue) }
    }

    /// Runs a step, or adds it to the end of the list if the thread is already running one. If `now`, it and all that
    /// follow from it run even then: code that chains onto a settled promise inside a step finds the result settled, as
    /// anywhere else. Up to 32 inside one another, because a loop of such steps must not recurse.
    @inline(__always) static func run(_ step: consuming Work, now: Bool = false) {
        if let here, !now || here.pointee.depth >= 32 { return here.pointee.steps.append(step) }
        // Released before the steps that follow, because releasing what it holds may add further ones.
        var step: Work? = consume step
        start { if let step = step.take() { Work.run(consume step) } }
    }

    /// Runs internal code that no closure of a user may interrupt: the steps that follow from it run when it is done
    /// or, inside a step, after that.
    static func holdingSteps(_ body: () -> Void) {
        if here == nil { start(body) } else { body() }
    }

    private static func start(_ body: () -> Void) {
        let outer = here
        var trampoline = Trampoline(outer: outer, depth: (outer?.pointee.depth ?? 0) + 1)
        withUnsafeMutablePointer(to: &trampoline) { list in
            here = list
            body()
            while let step = list.pointee.steps.popFirst() { Work.run(consume step) }
            here = outer
        }
    }

    /// Removes and returns the next step, also of the lists outside: code that waits may wait for what one of those does.
    private mutating func next() -> Work? { steps.popFirst() ?? outer?.pointee.next() }

    /// Runs code that isn't part of a step: pending steps run before it, and what it settles takes effect immediately.
    /// For code that runs a handler or is about to block.
    static func pause<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let list = here else { return try body() }
        while let step = list.pointee.next() { Work.run(consume step) }
        here = nil
        defer { here = list }
        return try body()
    }
}

#if DEBUG
    /// Chooses which thread goes on, in place of the system, for tests that try every order. In debug builds only.
    package protocol Scheduler: AnyObject {
        func willLock(_ lock: LockedObject)
        func didUnlock(_ lock: LockedObject)
        func willWait(for signal: DispatchSemaphore, until deadline: DispatchTime)
        func post(_ block: @escaping () -> Void, to queue: DispatchQueue)
    }

    nonisolated(unsafe) package var scheduler: (any Scheduler)?
    // Unsafe: it is only set before there are other threads.

    // In this module, these are called in place of Dispatch's, which has more parameters.
    extension DispatchQueue {
        func async(execute block: @escaping @Sendable () -> Void) { async(flags: [], execute: block) }

        func async(flags: DispatchWorkItemFlags, execute block: @escaping @Sendable () -> Void) {
            if let scheduler { return scheduler.post(block, to: self) }
            async(group: nil, flags: flags, execute: block)
        }
    }
#endif
