internal import PledgeLock

/// Does what follows from a step of a promise, in the calling thread and one thing after the other.
///
/// A chain settles inline but must not recurse, however long it is. So what comes up while a thread is already at it waits
/// for its turn in that thread's list.
struct Trampoline {
    enum Step {
        case run(Work)
        case deliver(_PromiseStorage)
        /// Lets go of closures, whose `deinit`s may have more to do.
        case drop([_PromiseStorage.Run])
        /// What few promises need.
        case other(() -> Void)

        @inline(__always)
        fileprivate func perform() {
            switch self {
            case .run(let work): work.run()
            case .deliver(let promise): promise.deliver()
            case .drop: break
            case .other(let body): body()
            }
        }
    }

    private var steps = FIFO<Step>()
    /// What is done once nothing else is left, the latest first.
    private var last: [Step] = []

    private mutating func next() -> Step? { steps.popFirst() ?? last.popLast() }

    /// The calling thread's list, while it is at it.
    private static var here: UnsafeMutablePointer<Trampoline>? {
        // Unsafe: it points into a call of `run` below, which takes it back before it returns.
        @inline(__always) get { pledge_trampoline()?.assumingMemoryBound(to: Trampoline.self) }
        @inline(__always) set { pledge_set_trampoline(newValue) }
    }

    /// Does a step, or has it done after those that came up before it.
    static func run(_ step: consuming Step) {
        if let here {
            here.pointee.steps.append(step)
            return
        }
        var trampoline = Trampoline()
        var first: Step? = consume step
        withUnsafeMutablePointer(to: &trampoline) { list in
            here = list
            // Let go here as well: what it holds may have more to do as it goes.
            first.take()?.perform()
            while let step = list.pointee.next() { step.perform() }
            here = nil
        }
    }

    /// Does a step after all that came up, and after those that are given here later: what a cancel that climbs comes to
    /// last is to be done first.
    static func runLast(_ body: @escaping () -> Void) {
        guard let here else { return body() }
        here.pointee.last.append(.other(body))
    }

    /// Runs code that is not part of a step: what it settles takes effect at once, and what was to follow before it has
    /// been done. For who runs a handler, or is about to block.
    static func pause<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let list = here else { return try body() }
        while let step = list.pointee.next() { step.perform() }
        here = nil
        defer { here = list }
        return try body()
    }
}
