import Dispatch
import Foundation

internal import PledgeLock

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
