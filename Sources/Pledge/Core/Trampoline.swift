internal import PledgeLock

/// Runs the steps that follow from a step of a promise, one after another on the calling thread.
///
/// A chain settles inline but must not recurse, however long it is. A step that comes up while a thread is already
/// running one is therefore added to that thread's list.
struct Trampoline {
    private var steps = FIFO<Work>()
    /// How many steps are being run one inside another.
    private var depth = 1

    /// The calling thread's list, while it runs steps.
    private static var here: UnsafeMutablePointer<Trampoline>? {
        // Unsafe: it points into a call of `start` below, which resets it before it returns.
        @inline(__always) get { pledge_trampoline()?.assumingMemoryBound(to: Trampoline.self) }
        @inline(__always) set { pledge_set_trampoline(newValue) }
    }

    /// Runs a step, or adds it to the end of the list if the thread is already running one.
    @inline(__always) static func run(_ step: consuming Work) {
        if let here { return here.pointee.steps.append(step) }
        start(step, Trampoline())
    }

    /// Runs a step and all that follow from it before it returns, even inside a step: code that chains onto a settled
    /// promise there finds the result settled, as anywhere else.
    ///
    /// Up to 32 inside one another. Deeper, a step is added to the list: a loop of such steps must not recurse.
    static func runNow(_ step: consuming Work) {
        guard let outer = here else { return start(step, Trampoline()) }
        guard outer.pointee.depth < 32 else { return outer.pointee.steps.append(step) }
        defer { here = outer }
        start(step, Trampoline(depth: outer.pointee.depth + 1))
    }

    private static func start(_ step: consuming Work, _ trampoline: consuming Trampoline) {
        var trampoline = trampoline
        var first: Work? = consume step
        withUnsafeMutablePointer(to: &trampoline) { list in
            here = list
            // Released here as well, because releasing what it holds may add further steps.
            first.take()?.run()
            while let step = list.pointee.steps.popFirst() { step.run() }
            here = nil
        }
    }

    /// Runs internal code that no closure of a user may interrupt: the steps that follow from it run when it is done or,
    /// inside a step, after that.
    static func hold(_ body: () -> Void) {
        guard here == nil else { return body() }
        withoutActuallyEscaping(body) { body in start(Work { _ in body() }, Trampoline()) }
    }

    /// Runs code that isn't part of a step: pending steps run before it, and what it settles takes effect immediately.
    /// For code that runs a handler or is about to block.
    static func pause<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let list = here else { return try body() }
        while let step = list.pointee.steps.popFirst() { step.run() }
        here = nil
        defer { here = list }
        return try body()
    }

    private init(depth: Int = 1) { self.depth = depth }
}
