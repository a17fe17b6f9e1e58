internal import PledgeLock

/// Runs the steps that follow from a step of a promise, one after another on the calling thread.
///
/// A chain settles inline but must not recurse, however long it is. A step that comes up while a thread is already
/// running one is therefore added to that thread's list.
struct Trampoline {
    private var steps = FIFO<Work>()
    /// Steps to run once nothing else is left, the latest first.
    private var last: [Work] = []

    private mutating func next() -> Work? { steps.popFirst() ?? last.popLast() }

    /// The calling thread's list, while it runs steps.
    private static var here: UnsafeMutablePointer<Trampoline>? {
        // Unsafe: it points into a call of `run` below, which resets it before it returns.
        @inline(__always) get { pledge_trampoline()?.assumingMemoryBound(to: Trampoline.self) }
        @inline(__always) set { pledge_set_trampoline(newValue) }
    }

    /// Runs a step, or adds it to the end of the list if the thread is already running one.
    static func run(_ step: consuming Work) {
        if let here { return here.pointee.steps.append(step) }
        var trampoline = Trampoline()
        var first: Work? = consume step
        withUnsafeMutablePointer(to: &trampoline) { list in
            here = list
            // Released here as well, because releasing what it holds may add further steps.
            first.take()?.run()
            while let step = list.pointee.next() { step.run() }
            here = nil
        }
    }

    /// Runs a step after all others, including those added later. The latest runs first: the last promise that a
    /// propagating cancel reaches is to be handled first.
    static func runLast(_ step: Work) {
        if let here { here.pointee.last.append(step) } else { step.run() }
    }

    /// Runs code that isn't part of a step: pending steps run before it, and what it settles takes effect immediately.
    /// For code that runs a handler or is about to block.
    static func pause<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let list = here else { return try body() }
        while let step = list.pointee.next() { step.run() }
        here = nil
        defer { here = list }
        return try body()
    }
}
