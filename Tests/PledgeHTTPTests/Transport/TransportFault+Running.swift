import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport

extension TransportFault {
    static let all = accidents + attacks

    /// Returns whether this transport is available and survives the fault. Only a long run includes the faults that
    /// keep `URLSession` busy for seconds.
    func runs(over kind: StandardTransport.Kind) -> Bool {
        guard StandardTransport(kind).kind == kind else { return false }
        return kind != .urlSession || !crashesURLSession && (Rounds.isLong || !isHeavyOverURLSession)
    }

    /// The requests to send. On a reused connection, they include an empty POST, because `URLSession` on Linux sends it
    /// again.
    var requests: [(HTTPMethod, String?)] { [(.get, nil), (.post, "{}")] + (isOnUsedConnection ? [(.post, "")] : []) }

    /// Returns the outcome in a word, and how often the service received the request.
    ///
    /// - Parameter bodyLimit: The maximum size of the response's body, in bytes.
    func outcome(
        over kind: StandardTransport.Kind, _ method: HTTPMethod, _ body: String?, bodyLimit: Int = 100_000
    ) async throws -> (String, Int) {
        let transport = StandardTransport(kind)
        let server = LoopbackServer(
            routes: ["GET", "POST"].flatMap { method in
                [ServerRoute("\(method) /") { _ in response() }, ServerRoute("\(method) /warm") { _ in .text("warm") }]
            })
        try server.start()
        defer { server.stop() }
        if isOnUsedConnection {
            for method in [HTTPMethod.get, .post] {
                let warm = OutgoingRequest(
                    method: method, url: server.baseURL.appendingPathComponent("warm"), timeout: 600)
                _ = try await transport.send(warm).value
            }
            server.resetRequests()
        }
        // The outcome must not depend on the machine's speed, so the timeout is long. If the expected outcome is a
        // timeout, the timeout starts short and grows until the service receives the request in time. Each try has its
        // own URL, because a request that was given up may arrive during the next try.
        var timeout: TimeInterval = expected(kind, method).hasPrefix("timed out") ? 0.1 : 600
        while true {
            let url = server.baseURL.appending(queryItems: [URLQueryItem(name: "timeout", value: "\(timeout)")])
            let request = OutgoingRequest(
                method: method, url: url, body: body.map { Data($0.utf8) }, timeout: timeout, bodyLimit: bodyLimit)
            let result = await transport.send(request).settled().value
            let seen = server.requests.count { $0.target.hasSuffix("?timeout=\(timeout)") }
            if seen > 0 || timeout > 100 { return (Self.word(for: result), seen) }
            timeout *= 4
        }
    }

    static func word(for result: Result<RawResponse, any Error>) -> String {
        guard case .failure(let error) = result else { return (try? result.get().status.description) ?? "" }
        switch error {
        case TransportError.unreachable: return "unreachable"
        case TransportError.connectionLost: return "lost"
        case TransportError.timedOut: return "timed out"
        case TransportError.tooLarge: return "too large"
        case TransportError.badResponse: return "bad"
        default: return "\(error)"
        }
    }
}
