@testable import Pledge

extension Thenable {
    /// How many handlers are in the promise's list, those included that are not waiting any more.
    var handlerCount: Int {
        var count = 0
        _promise.handlers.visit { _ in
            count += 1
            return false
        }
        return count
    }
}
