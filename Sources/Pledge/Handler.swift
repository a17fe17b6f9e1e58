import Dispatch
import Foundation

internal import PledgeLock

/// Work that waits for a promise to settle. A handler also says on which queue the work runs, and for which outcomes
/// the work calls a closure of the user.
struct Handler: Waiting {
    var work: Work
    let queue: Queue
    let interest: _Interest

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

    var counts: Bool { !interest.contains(.uncounted) }

    /// Returns a copy of this handler that no longer counts as a dependent. The copy replaces the handler of a promise
    /// that was canceled but continues to wait.
    ///
    /// - Parameter holds: Whether the handler keeps its promise alive. If not, the promise lives only as long as
    ///   something else refers to it.
    func uncounted(holds: Bool) -> Handler {
        let promise = holds || interest.contains(.unheld) ? work.promise : Unheld(work.promise)
        return Handler(
            work: Work(promise: promise, body: work.body), queue: queue,
            interest: interest.union(holds ? .uncounted : [.uncounted, .unheld]))
    }

    /// Keeps the handler's promise alive from now on, because the handler is about to run. If the promise was already
    /// released, the handler does nothing.
    @inline(__always) mutating func keepPromise() {
        // Usually, this returns at once. Copying the work in every case would cost as much as the rest of a delivery.
        guard interest.contains(.unheld) else { return }
        work = (work.promise as? Unheld)?.promise.map { Work(promise: $0, body: work.body) } ?? Work { _ in }
    }

    /// Returns where the handler runs after this outcome. A handler that only passes this outcome on needs no queue.
    @inline(__always) func queue(after outcome: PromiseStorage.State.Phase) -> Queue {
        interest.contains(outcome == .fulfilled ? .values : .errors) ? queue : .passing
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
    /// While the captured values are released, the promise is the thread's current promise (`pledge_promise`). So if
    /// one of them is a resolver, it is known to belong to that promise. While the closure runs, the thread has no
    /// current promise, because a resolver that a closure releases while it runs doesn't belong to the chain.
    @inline(__always) static func run(_ work: consuming Work) {
        let promise = work.promise
        let outer = pledge_promise()
        pledge_set_promise(nil)
        (consume work).finish()
        pledge_set_promise(outer)
        withExtendedLifetime(promise) {}
    }

    @inline(__always) private consuming func finish() {
        // The closure is in a variable, so that it is released here. If `withExtendedLifetime` kept it alive instead, a
        // hop of a chain would cost 17 % more.
        var body: PromiseStorage.Run? = body
        body?(promise)
        if pledge_promise() == nil { pledge_set_promise(Unmanaged.passUnretained(promise).toOpaque()) }
        body = nil
    }
}

extension PromiseStorage {
    /// A canceled promise. `passCancel` makes it the thread's current promise.
    static let canceled = {
        let storage = PromiseStorage()
        storage.reject(PromiseError.cancelled)
        return storage
    }()

    /// Whether the calling thread is releasing closures of a promise that was canceled. If a resolver is released at
    /// that time, it belongs to a canceled chain, and so it wasn't forgotten.
    static var isPassingCancel: Bool {
        // Unsafe: as long as this pointer is set, `Work.run`, or the code that cancels the promise, keeps the promise
        // alive.
        guard let here = pledge_promise() else { return false }
        let promise = Unmanaged<PromiseStorage>.fromOpaque(here).takeUnretainedValue()
        return promise.isCancelled
            || promise.isFulfilled(handling: false) == false && promise.failure?.isCancelled == true
    }

    /// Records that this thread is running a handler that ignores a cancellation. What the handler captured is then
    /// released as part of a canceled chain.
    @usableFromInline static func passCancel() { pledge_set_promise(Unmanaged.passUnretained(canceled).toOpaque()) }
}

/// Flags of a handler. The first two are the outcomes for which the handler calls a closure of the user. An internal
/// handler, which only passes outcomes on, has no flags.
@usableFromInline struct _Interest: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable static var values: _Interest { _Interest(rawValue: 1) }
    @inlinable static var errors: _Interest { _Interest(rawValue: 2) }
    @inlinable static var outcomes: _Interest { [.values, .errors] }
    /// The handler ends a chain. ``PromiseConfiguration`` may specify another default queue for such handlers.
    @inlinable static var end: _Interest { _Interest(rawValue: 4) }
    /// The handler's promise was canceled, so the handler no longer counts as a dependent.
    static var uncounted: _Interest { _Interest(rawValue: 8) }
    /// The handler's promise was canceled, and the handler doesn't keep that promise alive.
    static var unheld: _Interest { _Interest(rawValue: 16) }
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

/// The private serial queue for handlers that don't specify a queue. It runs them in the order in which they are due.
///
/// One block of the queue runs many handlers, because a block for each handler would cost as much as the rest of a hop
/// of a chain. After 256 handlers, another block continues, so that other work on the queue gets its turn.
final class DefaultQueue: LockedObject, @unchecked Sendable {
    // Unchecked: `waiting` and `isScheduled` are only accessed under the lock. `due` is only accessed by the block that
    // runs the handlers.

    static let shared = DefaultQueue()
    static let turn = 256

    let queue = DispatchQueue(label: "pledge", qos: .userInitiated, autoreleaseFrequency: .workItem)
    private let isMain = DispatchSpecificKey<Bool>()
    @exclusivity(unchecked) private var waiting = FIFO<Work>()
    /// Handlers that were taken from `waiting` in one go. If there are many, locking once for all of them saves 7 % of
    /// each handler's cost.
    @exclusivity(unchecked) private var due = FIFO<Work>()
    @exclusivity(unchecked) private var isScheduled = false

    private override init() {
        super.init()
        queue.setSpecific(key: isMain, value: false)
        DispatchQueue.main.setSpecific(key: isMain, value: true)
    }

    /// Whether the calling code is a handler on this queue, or runs on another queue whose target is this queue.
    var isCurrent: Bool {
        // `getSpecific` alone isn't enough: if a handler calls `sync` on another queue, `getSpecific` asks that other
        // queue inside the `sync`. `pledge_drains` is true there, too.
        pledge_drains() || DispatchQueue.getSpecific(key: isMain) == false
    }

    /// Whether this queue or the main queue can't run anything else until the calling code returns. If so, the calling
    /// code must not block, because it might wait for work on the blocked queue.
    ///
    /// The main queue is blocked only by a handler. Outside a handler, the main thread serves the main queue while it
    /// waits. After `dispatchMain()`, other threads serve the main queue.
    var isBlocked: Bool {
        isCurrent || pledge_handles() && (Thread.isMainThread || DispatchQueue.getSpecific(key: isMain) == true)
    }

    /// Runs a closure of a user that was dispatched to a queue other than this one.
    static func runBlock(_ body: () -> Void) {
        pledge_set_handles(true)
        defer { pledge_set_handles(false) }
        // The thread may be inside a step of the trampoline: code in that step may run the main run loop, which runs
        // this block. `pause` makes the closure behave as if it were outside a step.
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

/// A list of steps that a thread runs one after another. A step is work that follows from another step: after a promise
/// has settled, for example, the promises that wait for it settle.
///
/// While a thread runs a step, further steps are added to the thread's list. So a chain of any length settles without
/// recursion.
struct Trampoline {
    private var steps = FIFO<Work>()
    /// The list in which this list is nested, if code inside a step has started this list.
    private let outer: UnsafeMutablePointer<Trampoline>?
    /// The number of lists that are nested at this point, including this list.
    private let depth: Int

    /// The list of the calling thread, or nil if the thread isn't running steps.
    private static var here: UnsafeMutablePointer<Trampoline>? {
        // Unsafe: the pointer refers to a variable of `start` below, which resets the pointer before it returns.
        @inline(__always) get { pledge_trampoline()?.assumingMemoryBound(to: Trampoline.self) }
        @inline(__always) set { pledge_set_trampoline(newValue) }
    }

    /// Runs a step immediately, or adds it to the end of the list if the thread is already running a step.
    ///
    /// With `now`, the step and all steps that follow from it run immediately, even inside another step. For example,
    /// if code inside a step chains onto a settled promise, the new promise has settled when the operator returns, as
    /// it does anywhere else. Each such call starts a nested list. If 32 lists are nested, the step is added to the
    /// innermost list instead, because a loop of such steps must not recurse.
    @inline(__always) static func run(_ step: consuming Work, now: Bool = false) {
        if let here, !now || here.pointee.depth >= 32 { return here.pointee.steps.append(step) }
        // The step is released before the steps that follow it run, because releasing what it captured may add further
        // steps.
        var step: Work? = consume step
        start { if let step = step.take() { Work.run(consume step) } }
    }

    /// Runs internal code during which no closure of a user may run. If the code adds steps, they are run after the
    /// code or, if the thread is already running a step, after that step.
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

    /// Removes and returns the next step of this list or, if this list is empty, of the lists around it. Code that is
    /// about to block first runs all of these steps, because it may wait for a promise that one of them settles.
    private mutating func next() -> Work? { steps.popFirst() ?? outer?.pointee.next() }

    /// Runs code that isn't part of a step: a handler, or code that is about to block. All pending steps of the thread
    /// run before it. What the code settles takes effect immediately.
    static func pause<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let list = here else { return try body() }
        while let step = list.pointee.next() { Work.run(consume step) }
        here = nil
        defer { here = list }
        return try body()
    }
}

#if DEBUG
    /// Chooses which thread runs next, in place of the system. Tests use it to try every order of threads. It exists in
    /// debug builds only.
    package protocol Scheduler: AnyObject {
        func willLock(_ lock: LockedObject)
        func didUnlock(_ lock: LockedObject)
        func willWait(for signal: DispatchSemaphore, until deadline: DispatchTime)
        func post(_ block: @escaping () -> Void, to queue: DispatchQueue)
    }

    nonisolated(unsafe) package var scheduler: (any Scheduler)?
    // Unsafe: the scheduler is set only while there is a single thread.

    // Inside this module, calls of `async` use these methods. The compiler prefers them to Dispatch's method, which has
    // more parameters.
    extension DispatchQueue {
        func async(execute block: @escaping @Sendable () -> Void) { async(flags: [], execute: block) }

        func async(flags: DispatchWorkItemFlags, execute block: @escaping @Sendable () -> Void) {
            if let scheduler { return scheduler.post(block, to: self) }
            async(group: nil, flags: flags, execute: block)
        }
    }
#endif
