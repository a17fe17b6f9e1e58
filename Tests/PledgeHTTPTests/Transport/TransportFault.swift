import Foundation
import PledgeHTTP
import PledgeSandbox
import Testing

/// What may go wrong on the line, and what comes of it.
struct TransportFault: CustomTestStringConvertible, Sendable {
    var name: String
    var response: @Sendable () -> SandboxResponse
    /// What comes of it.
    var outcome: String
    /// What comes of it over `URLSession` on Linux, for a GET and for a POST, and why no wrapper can change it.
    var onURLSession: (get: String, post: String, reason: String)?
    /// The connection was used before, so that it may be dead by now.
    var isOnUsedConnection = false
    /// `URLSession` on Linux, or the process with it, does not outlive it.
    var crashesURLSession = false
    /// `URLSession` on Linux takes memory until the time is over.
    var isUnlimitedOverURLSession = false
    /// Bytes of the largest body to accept.
    var bodyLimit = 100_000

    var testDescription: String { name }

    init(
        _ name: String, _ response: @escaping @Sendable @autoclosure () -> SandboxResponse,
        _ outcome: String
    ) {
        self.name = name
        self.response = response
        self.outcome = outcome
    }

    func onURLSession(_ get: String, post: String? = nil, because reason: String) -> TransportFault {
        var fault = self
        fault.onURLSession = (get, post ?? get, reason)
        return fault
    }

    func crashingURLSession(_ outcome: String = "ends the process", because reason: String) -> TransportFault {
        var fault = onURLSession(outcome, because: reason)
        fault.crashesURLSession = true
        return fault
    }

    func onUsedConnection() -> TransportFault {
        var fault = self
        fault.isOnUsedConnection = true
        return fault
    }

    func unlimitedOverURLSession() -> TransportFault {
        var fault = self
        fault.isUnlimitedOverURLSession = true
        return fault
    }

    /// With the limit that requests have if nobody says anything else.
    func withUsualLimit() -> TransportFault {
        var fault = self
        fault.bodyLimit = OutgoingRequest(url: URL(fileURLWithPath: "/")).bodyLimit
        return fault
    }

    func expected(_ kind: StandardTransport.Kind, _ method: HTTPMethod) -> String {
        guard kind == .urlSession, let onURLSession else { return outcome }
        return method == .get ? onURLSession.get : onURLSession.post
    }

    /// Its row in the article.
    var row: String {
        guard let onURLSession else { return "| \(name) | \(outcome) | the same | |" }
        let (get, post, reason) = onURLSession
        return "| \(name) | \(outcome) | \(get == post ? get : "GET: \(get); POST: \(post)") | \(reason) |"
    }
}
