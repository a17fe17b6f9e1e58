import PledgeTestSupport

@testable import Pledge

extension DefaultExecutor {
    /// Whether it runs the calling code.
    static var isCurrent: Bool { DefaultQueue.shared.isCurrent }
}

extension Thenable {
    /// The number of waiting handlers, without those of canceled guarantees.
    var handlerCount: Int { _promise.storage.withState { $0.counted } }
}

/// A handler that is nothing but a number.
struct NumberedHandler: Waiting, Equatable {
    let number: Int
    var counts = true
}
