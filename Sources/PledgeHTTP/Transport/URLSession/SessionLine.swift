import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session and its delegate, which live as long as the transport.
final class SessionLine: Sendable {
    let session: URLSession
    let delegate = SessionDelegate()
    /// The queue that creates, resumes, and cancels tasks. On Linux, each of these waits for Foundation, which may wait
    /// for room in the delegate's queue: there, where a handler may send the next request, this would deadlock.
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
