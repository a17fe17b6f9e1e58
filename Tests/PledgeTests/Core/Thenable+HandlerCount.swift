@testable import Pledge

extension Thenable {
    /// The number of waiting handlers, without those of canceled guarantees.
    var handlerCount: Int { _promise.storage.withState { $0.counted } }
}
