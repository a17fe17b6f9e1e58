import PledgeTestSupport

@testable import Pledge

extension DefaultExecutor {
    /// Whether it runs the calling code.
    static var isCurrent: Bool { DefaultQueue.shared.isCurrent }
}
