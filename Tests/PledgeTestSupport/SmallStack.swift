import Foundation

/// A thread with a small stack, for code whose stack use must not grow with the length of a chain.
package enum SmallStack {
    /// The number of links in a test's chains. It is enough for a recursion to overflow the stack, because a link takes at
    /// least two frames of at least 32 bytes.
    package static let depth = ProcessInfo.processInfo.environment["PLEDGE_DEPTH"].flatMap { Int($0) } ?? 2_500

    /// Runs `body` on a thread with a small stack, and returns the result of `body`.
    ///
    /// A test must not block its own thread while it waits: tasks have only as many threads as there are processors, and
    /// `body` may wait for a task.
    ///
    /// - Parameter bytes: The size of the stack. With a sanitizer, the stack is 16 times as large.
    package static func run<T: Sendable>(bytes: Int = 128 << 10, _ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                // Objects that `body` leaves behind are also released on this thread.
                continuation.resume(returning: body())
            }
            thread.stackSize = isSanitized ? 16 * bytes : bytes
            thread.start()
        }
    }

    /// Whether a sanitizer is active, which makes everything slower and larger.
    package static let isSanitized: Bool = {
        let program = dlopen(nil, RTLD_NOW)
        return ["__tsan_init", "__asan_init"].contains { (name: String) in dlsym(program, name) != nil }
    }()
}
