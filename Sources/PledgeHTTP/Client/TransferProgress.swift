import Dispatch
import Pledge

/// The progress of one sending: the sizes of the request's and the response's body. It begins anew with every retry.
public struct TransferProgress: Sendable, Equatable {
    /// The number of bytes of the request's body that were sent.
    public var bytesSent: Int
    /// The size of the request's body, in bytes.
    public var bytesToSend: Int
    /// The number of bytes of the response's body that were received, after decompression.
    public var bytesReceived: Int
    /// The size of the response's body, in bytes; nil if the service does not announce it, or compresses the body.
    public var bytesToReceive: Int?

    /// Creates a progress for use in tests.
    public init(bytesSent: Int = 0, bytesToSend: Int = 0, bytesReceived: Int = 0, bytesToReceive: Int? = nil) {
        self.bytesSent = bytesSent
        self.bytesToSend = bytesToSend
        self.bytesReceived = bytesReceived
        self.bytesToReceive = bytesToReceive
    }
}

/// Reports progress on a queue of its own: a slow handler does not delay the transport, and gets only the latest.
final class ProgressReporter: Sendable {
    private struct State {
        var progress: TransferProgress
        var isScheduled = false
    }

    let queue = DispatchQueue(label: "pledge.progress")
    private let handler: @Sendable (TransferProgress) -> Void
    private let state: Locked<State>

    init(bytesToSend: Int, _ handler: @escaping @Sendable (TransferProgress) -> Void) {
        self.handler = handler
        state = Locked(State(progress: TransferProgress(bytesToSend: bytesToSend)))
    }

    func update(_ change: (inout TransferProgress) -> Void) {
        let mustSchedule = state.withLock { state in
            change(&state.progress)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard mustSchedule else { return }
        queue.async { [self] in
            let progress = state.withLock { state in
                state.isScheduled = false
                return state.progress
            }
            handler(progress)
        }
    }

    /// Records that a response has begun, and its size.
    func begin(_ headers: HeaderFields) {
        guard headers["Content-Encoding"] == nil else { return }
        let size = headers["Content-Length"].flatMap { Int($0) }
        update { $0.bytesToReceive = size }
    }
}
