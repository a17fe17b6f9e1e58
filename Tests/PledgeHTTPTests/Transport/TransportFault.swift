import Foundation
import PledgeHTTP
import PledgeSandbox
import Testing

/// A fault of a connection, and its outcome.
struct TransportFault: CustomTestStringConvertible, Sendable {
    var name: String
    var response: @Sendable () -> ServerResponse
    /// The expected outcome.
    var outcome: String
    /// The outcomes of a GET and of a POST with `URLSession` on Linux, if they differ from `outcome`, and the reason
    /// why no wrapper can correct them.
    var onURLSession: (get: String, post: String, reason: String)?
    /// An outcome that is also correct, and that may occur with newer versions of libcurl.
    var onNewerCurl: String?
    /// Whether earlier requests have used the connection on which the fault occurs.
    var isOnUsedConnection = false
    /// Whether the fault makes `URLSession` on Linux stop working, or ends the process.
    var crashesURLSession = false
    /// Whether `URLSession` on Linux uses more and more memory until the timeout.
    var isUnlimitedOverURLSession = false
    /// Whether the fault keeps `URLSession` on Linux busy for a second or more.
    var isHeavyOverURLSession = false

    var testDescription: String { name }

    init(_ name: String, _ response: @escaping @Sendable @autoclosure () -> ServerResponse, _ outcome: String) {
        self.name = name
        self.response = response
        self.outcome = outcome
    }

    private func with(_ change: (inout TransportFault) -> Void) -> TransportFault {
        var fault = self
        change(&fault)
        return fault
    }

    func onURLSession(_ get: String, post: String? = nil, because reason: String) -> TransportFault {
        with { $0.onURLSession = (get, post ?? get, reason) }
    }

    func crashingURLSession(_ outcome: String = "ends the process", because reason: String) -> TransportFault {
        onURLSession(outcome, because: reason).with { $0.crashesURLSession = true }
    }

    /// Marks the fault as one that crashes `URLSession` on Linux with Swift 6.0.
    func crashingOlderURLSession() -> TransportFault {
        #if compiler(<6.1)
            with { $0.crashesURLSession = true }
        #else
            self
        #endif
    }

    func onNewerCurl(_ outcome: String) -> TransportFault { with { $0.onNewerCurl = outcome } }

    func onUsedConnection() -> TransportFault { with { $0.isOnUsedConnection = true } }

    func heavyOverURLSession(isUnlimited: Bool = false) -> TransportFault {
        with { ($0.isHeavyOverURLSession, $0.isUnlimitedOverURLSession) = (true, isUnlimited) }
    }

    func expected(_ kind: StandardTransport.Kind, _ method: HTTPMethod) -> String {
        guard kind == .urlSession, let onURLSession else { return outcome }
        return method == .get ? onURLSession.get : onURLSession.post
    }

    /// The fault's row in the article.
    var row: String {
        guard let onURLSession else { return "| \(name) | \(outcome) | the same | |" }
        let (get, post, reason) = onURLSession
        return "| \(name) | \(outcome) | \(get == post ? get : "GET: \(get); POST: \(post)") | \(reason) |"
    }
}
