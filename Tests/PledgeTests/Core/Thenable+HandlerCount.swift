@testable import Pledge

extension Thenable {
    /// How many handlers wait, other than those of cancelled guarantees.
    var handlerCount: Int { _promise.withState { $0.counted } }

    /// How many handlers it holds.
    var heldCount: Int { _promise.withState { $0.waiting } }
}
