import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session and its delegate, as long as the transport lives.
final class SessionLine: Sendable {
    let session: URLSession
    let delegate = SessionDelegate()
    /// Where tasks are made, begun and cancelled. On Linux each of that waits for Foundation, and Foundation may be waiting
    /// for room in the delegate's queue: there, where a reply's handler may send the next request, it would wait in vain.
    let queue = DispatchQueue(label: "pledge.session")

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
