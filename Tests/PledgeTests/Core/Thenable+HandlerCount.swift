@testable import Pledge

extension Thenable {
    /// How many handlers wait.
    var handlerCount: Int { _promise.withState { $0.waiting } }
}
