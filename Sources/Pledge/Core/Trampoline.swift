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
    static func hold(_ body: () -> Void) {
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
