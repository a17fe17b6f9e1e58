import Dispatch
import Foundation

internal import PledgeLock

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
    /// Identifies this queue and the main queue, also in code on a queue whose target is one of them.
    private let identity = DispatchSpecificKey<Identity>()
    private enum Identity { case pledge, main }

    @exclusivity(unchecked) private var waiting = FIFO<Work>()
    /// Handlers that were taken from `waiting` in one go. If there are many, locking once for all of them saves 7 % of
    /// each handler's cost.
    @exclusivity(unchecked) private var due = FIFO<Work>()
    @exclusivity(unchecked) private var isScheduled = false

    private override init() {
        super.init()
        queue.setSpecific(key: identity, value: .pledge)
        DispatchQueue.main.setSpecific(key: identity, value: .main)
    }

    /// Whether the calling code is a handler on this queue, or runs on another queue whose target is this queue.
    var isCurrent: Bool {
        // `getSpecific` alone isn't enough: if a handler calls `sync` on another queue, `getSpecific` asks that other
        // queue inside the `sync`. `pledge_drains` is true there, too.
        pledge_drains() || DispatchQueue.getSpecific(key: identity) == .pledge
    }

    /// Whether this queue or the main queue can't run anything else until the calling code returns. If so, the calling
    /// code must not block, because it might wait for work on the blocked queue.
    ///
    /// The main queue is blocked only by a handler. Outside a handler, the main thread serves the main queue while it
    /// waits. After `dispatchMain()`, other threads serve the main queue.
    var isBlocked: Bool {
        isCurrent || pledge_handles() && (Thread.isMainThread || DispatchQueue.getSpecific(key: identity) == .main)
    }

    /// Runs a closure of a user that was dispatched to a queue other than this one.
    static func runBlock(_ body: () -> Void) {
        pledge_set_handles(true)
        defer { pledge_set_handles(false) }
        // The thread may be inside a step of the trampoline: code in that step may run the main run loop, which runs
        // this block. `flushAndPause` makes the closure behave as if it were outside a step.
        Trampoline.flushAndPause(body)
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

    /// Runs all pending steps of the thread, and then runs code that isn't part of a step: a handler, or code that is
    /// about to block. What this code settles takes effect immediately.
    static func flushAndPause<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let list = here else { return try body() }
        while let step = list.pointee.next() { Work.run(consume step) }
        here = nil
        defer { here = list }
        return try body()
    }
}

/// A first-in, first-out queue that reuses a ring buffer. An array would be slower: its `removeFirst` shifts the
/// remaining elements, and its `removeAll` costs as much as the rest of a hop of a chain.
package struct FIFO<Element> {
    /// The ring buffer. Its size is zero or a power of two.
    private var slots: ContiguousArray<Element?> = []
    private var first = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    @inline(__always) private func slot(_ index: Int) -> Int { (first &+ index) & (slots.count &- 1) }

    @inline(__always) package mutating func append(_ element: consuming Element) {
        if count == slots.count { grow() }
        slots[slot(count)] = element
        count &+= 1
    }

    @inline(never) private mutating func grow() {
        var grown = ContiguousArray<Element?>(repeating: nil, count: max(1, 2 * count))
        for index in 0..<count { grown[index] = slots[slot(index)] }
        slots = grown
        first = 0
    }

    @inline(__always) package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        defer {
            first = slot(1)
            count &-= 1
            // After a burst that needed much memory, releases the memory.
            if count == 0, slots.count > 1 << 14 { slots = [] }
        }
        return slots[first].take()
    }

    package mutating func takeAll() -> [Element] {
        var all: [Element] = []
        while let element = popFirst() { all.append(element) }
        return all
    }
}

extension FIFO: Sendable where Element: Sendable {}

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
