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
