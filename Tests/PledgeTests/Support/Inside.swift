import PledgeTestSupport

@testable import Pledge

extension DefaultExecutor {
    /// Whether the calling code runs on the default queue.
    static var isCurrent: Bool { DefaultQueue.shared.isCurrent }
}

extension Thenable {
    /// The number of waiting handlers. Handlers of canceled guarantees don't count.
    var handlerCount: Int { _promise.storage.withState { $0.counted } }
}

/// A handler for tests, which consists only of a number.
struct NumberedHandler: Waiting, Equatable {
    let number: Int
    var counts = true
}
