import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session and its delegate, as long as the transport lives.
final class SessionLine: Sendable {
    let session: URLSession
    let delegate = SessionDelegate()

    init(_ configuration: URLSessionConfiguration) {
        #if os(Linux)
            let queue = BoundedOperationQueue()
        #else
            let queue: OperationQueue? = nil
        #endif
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }
}
