import Foundation
import PledgeSandbox

/// The rates of faults: `503=0.02,drop=0.01`, or `all=0.05`, divided among all kinds.
struct FaultMix: Sendable {
    typealias Kinds = KeyValuePairs<String, @Sendable (ServerRequest) -> ServerResponse>

    /// The kinds of faults; the table in "When things go wrong" lists the outcome of each.
    static let kinds: Kinds = [
        "401": { _ in refusal(401) },
        "403": { _ in refusal(403) },
        "404": { _ in refusal(404) },
        "409": { _ in refusal(409) },
        "429": { _ in refusal(429, ["Retry-After": "1"]) },
        "429-bare": { _ in .empty(429) },
        "500": { _ in refusal(500) },
        "502": { _ in response("<html>Bad gateway</html>", 502, ["Content-Type": "text/html"]) },
        "503": { _ in refusal(503, ["Retry-After": "1"]) },
        "html": { _ in response("<!doctype html><title>Welcome</title>", 200, ["Content-Type": "text/html"]) },
        "empty": { _ in .empty(200) },
        "cut": { _ in response(#"{"results": [{"name": "ste"#, 200) },
        "other": { _ in response("[]", 200) },
        "redirect": { _ in .empty(307, headers: ["Location": "https://elsewhere.example/"]) },
        "circle": { .empty(301, headers: ["Location": $0.target]) },
        "drop": { _ in .drop },
    ]

    private static func refusal(_ status: Int, _ headers: ServerHeaders = [:]) -> ServerResponse {
        response(#"{"detail": "A fault of the sandbox."}"#, status, headers)
    }

    private static func response(_ text: String, _ status: Int, _ headers: ServerHeaders = [:]) -> ServerResponse {
        var response = ServerResponse(status: status, headers: headers, body: Data(text.utf8))
        if headers["Content-Type"] == nil { response.headers["Content-Type"] = "application/json" }
        return response
    }

    private(set) var shares: [(kind: Kinds.Element, share: Double)] = []

    init(_ text: String) throws {
        for item in text.split(separator: ",") {
            let parts = item.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let share = Double(parts[1]), 0...1 ~= share else {
                throw UsageError("--faults takes shares such as 503=0.02,drop=0.01, not “\(item)”.")
            }
            let kinds = Self.kinds.filter { parts[0] == "all" || parts[0] == $0.key }
            guard !kinds.isEmpty else {
                let known = Self.kinds.map(\.key).joined(separator: ", ")
                throw UsageError("There is no fault “\(parts[0])”. The kinds are all, \(known).")
            }
            shares += kinds.map { ($0, share / Double(kinds.count)) }
        }
        guard shares.reduce(0, { $0 + $1.share }) <= 1.000_001 else {
            throw UsageError("The shares of --faults add up to more than 1.")
        }
    }

    /// Returns the fault for a random number from 0 to 1; nil for a request that succeeds.
    func fault(at number: Double) -> Kinds.Element? {
        var rest = number
        return shares.first { share in
            defer { rest -= share.share }
            return rest < share.share
        }?.kind
    }
}
