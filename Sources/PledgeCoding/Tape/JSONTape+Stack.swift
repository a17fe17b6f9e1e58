import Dispatch
import Foundation

extension JSONTape {
    /// The size in bytes of a stack for all levels: a type that contains itself takes up to 4 KiB a level in a debug
    /// build. Only what is used takes memory.
    private static let deepStack = 16 << 20

    /// Runs work that may recurse once for each level of the JSON. The stack of any thread is large enough for what is
    /// not ``isDeep``; anything else is work for a thread of its own, for which this one waits.
    package func withStack<Value>(_ work: @escaping () throws -> Value) throws -> Value {
        guard isDeep else { return try work() }
        let job = Job(work)
        let thread = Thread { job.run() }
        thread.stackSize = Self.deepStack
        thread.start()
        return try job.wait()
    }

    private final class Job<Value>: @unchecked Sendable {
        // Only the thread touches the work, and only until it signals; only the caller touches the result, after that.
        private let work: () throws -> Value
        private let isDone = DispatchSemaphore(value: 0)
        private var result: Result<Value, any Error>?

        init(_ work: @escaping () throws -> Value) { self.work = work }

        func run() {
            result = Result(catching: work)
            isDone.signal()
        }

        func wait() throws -> Value {
            isDone.wait()
            guard let result else { preconditionFailure("the thread signals before it has a result") }
            return try result.get()
        }
    }
}
