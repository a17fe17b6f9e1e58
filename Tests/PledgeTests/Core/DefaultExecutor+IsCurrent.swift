import PledgeTestSupport

@testable import Pledge

extension DefaultExecutor {
    /// Is the calling code being run by it?
    static var isCurrent: Bool { DefaultQueue.shared.isCurrent }
}
