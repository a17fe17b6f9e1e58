internal import PledgeLock

/// Does what follows from a step of a promise, in the calling thread and one thing after the other.
///
/// A chain settles inline but must not recurse, however long it is. So what comes up while a thread is already at it waits
/// for its turn in that thread's list.
struct Trampoline {
    private var steps = FIFO<Work>()
    /// What is done once nothing else is left, the latest first.
    private var last: [Work] = []

    private mutating func next() -> Work? { steps.popFirst() ?? last.popLast() }

    /// The calling thread's list, while it is at it.
    private static var here: UnsafeMutablePointer<Trampoline>? {
        // Unsafe: it points into a call of `run` below, which takes it back before it returns.
        @inline(__always) get { pledge_trampoline()?.assumingMemoryBound(to: Trampoline.self) }
        @inline(__always) set { pledge_set_trampoline(newValue) }
    }

    /// Does a step, or has it done after those that came up before it.
    static func run(_ step: consuming Work) {
        if let here { return here.pointee.steps.append(step) }
        var trampoline = Trampoline()
        var first: Work? = consume step
        withUnsafeMutablePointer(to: &trampoline) { list in
            here = list
            // Let go here as well: what it holds may have more to do as it goes.
            first.take()?.run()
            while let step = list.pointee.next() { step.run() }
            here = nil
        }
    }

    /// Does a step after all that came up, and after those that are given here later: what a cancel that climbs comes to
    /// last is to be done first.
    static func runLast(_ step: Work) {
        if let here { here.pointee.last.append(step) } else { step.run() }
    }

    /// Runs code that is not part of a step: what it settles takes effect at once, and what was to follow before it has
    /// been done. For who runs a handler, or is about to block.
    static func pause<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let list = here else { return try body() }
        while let step = list.pointee.next() { step.run() }
        here = nil
        defer { here = list }
        return try body()
    }
}
