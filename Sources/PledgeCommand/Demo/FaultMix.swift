import Foundation
import PledgeSandbox

/// The shares of requests that fail, by kind of fault: `503=0.02,drop=0.01`, or `all=0.05` divided among all kinds.
struct FaultMix: Sendable {
    /// The faults of a service or a connection. The table in "When things go wrong" lists the outcome of each.
    enum Kind: String, CaseIterable, Sendable {
        case unauthorized = "401"
        case forbidden = "403"
        case notFound = "404"
        case conflict = "409"
        case limited = "429"
        case limitedWithoutWord = "429-bare"
        case fault = "500"
        case badGateway = "502"
        case unavailable = "503"
        case webPage = "html"
        case nothing = "empty"
        case cutOff = "cut"
        case otherJSON = "other"
        case elsewhere = "redirect"
        case circle = "circle"
        case lost = "drop"

        func response(to request: SandboxRequest) -> SandboxResponse {
            switch self {
            case .unauthorized: Self.status(401)
            case .forbidden: Self.status(403)
            case .notFound: Self.status(404)
            case .conflict: Self.status(409)
            case .limited: Self.status(429, ["Retry-After": "1"])
            case .limitedWithoutWord: .empty(429)
            case .fault: Self.status(500)
            case .badGateway: Self.body("<html>Bad gateway</html>", 502, "text/html")
            case .unavailable: Self.status(503, ["Retry-After": "1"])
            case .webPage: Self.body("<!doctype html><title>Welcome</title>", 200, "text/html")
            case .nothing: .empty(200)
            case .cutOff: Self.body(#"{"results": [{"name": "ste"#, 200, "application/json")
            case .otherJSON: Self.body("[]", 200, "application/json")
            case .elsewhere: .empty(307, headers: ["Location": "https://elsewhere.example/"])
            case .circle: .empty(301, headers: ["Location": request.target])
            case .lost: .drop
            }
        }

        private static func status(_ code: Int, _ headers: SandboxHeaders = [:]) -> SandboxResponse {
            var response = body(#"{"detail": "A fault of the sandbox."}"#, code, "application/json")
            for field in headers.fields { response.headers[field.name] = field.value }
            return response
        }

        private static func body(_ text: String, _ status: Int, _ type: String) -> SandboxResponse {
            SandboxResponse(status: status, headers: ["Content-Type": type], body: Data(text.utf8))
        }
    }

    private(set) var shares: [(kind: Kind, share: Double)] = []

    init(_ text: String) throws {
        for item in text.split(separator: ",") {
            let parts = item.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let share = Double(parts[1]), 0...1 ~= share else {
                throw UsageError("--faults takes shares such as 503=0.02,drop=0.01, not “\(item)”.")
            }
            if parts[0] == "all" {
                shares += Kind.allCases.map { ($0, share / Double(Kind.allCases.count)) }
            } else if let kind = Kind(rawValue: parts[0]) {
                shares.append((kind, share))
            } else {
                let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("There is no fault “\(parts[0])”. The kinds are all, \(known).")
            }
        }
        guard shares.reduce(0, { $0 + $1.share }) <= 1.000_001 else {
            throw UsageError("The shares of --faults add up to more than 1.")
        }
    }

    /// Returns the fault for a number from 0 to 1; nil for a request that succeeds.
    func fault(at number: Double) -> Kind? {
        var rest = number
        for (kind, share) in shares {
            if rest < share { return kind }
            rest -= share
        }
        return nil
    }
}
