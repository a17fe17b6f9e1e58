import Foundation

/// A thread with a small stack, for code whose stack use must not grow with the length of a chain.
package enum SmallStack {
    /// The number of links in a test's chains: enough for any recursion to overflow the stack, as a link takes two
    /// frames at least, none smaller than 32 bytes.
    package static let depth = ProcessInfo.processInfo.environment["PLEDGE_DEPTH"].flatMap { Int($0) } ?? 2_500

    /// Runs `body` on such a thread, and returns what it returned.
    ///
    /// A test must not block its own thread instead: there are only as many threads for tasks as processors, and `body` may
    /// wait for a task.
    ///
    /// - Parameter bytes: The size of its stack, of which a sanitizer needs more.
    package static func run<T: Sendable>(bytes: Int = 128 << 10, _ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                // What `body` leaves behind is also released on this thread.
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
