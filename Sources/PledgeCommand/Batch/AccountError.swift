import ExistKit
import Foundation
import MyDataHelpsKit

/// The error of an account, as written to its line.
struct AccountError: Error {
    /// A code for programs; the same for both services.
    var kind: String
    /// Whether the error may be temporary, so that another run tries again.
    var isPassing: Bool
    var status: Int?
    var section: String?
    /// The message for people.
    var message: String

    /// The kinds that are always temporary; ``isPassing`` is also true for a truncated body or a web page.
    static let passingKinds: Set = ["unreachable", "timedOut", "serviceFault", "rateLimited"]

    static let kinds: Set = passingKinds.union([
        "unauthorized", "forbidden", "notFound", "rejected", "redirected", "unreadable", "untrusted",
        "invalidArgument", "noToken", "overBudget", "other",
    ])

    /// - Parameter isGarbled: Whether the last response cannot have come from the service itself.
    init(_ error: any Error, section: ExportOptions.Section? = nil, hiding token: String?, isGarbled: Bool) {
        self.section = section?.rawValue
        var text = "\(error)"
        (kind, status) =
            switch error {
            case let error as ExistError: (Self.kind(error.kind), error.exchange?.status)
            case let error as MyDataHelpsError: Self.kind(error)
            case is NoToken: ("noToken", nil)
            default: ("other", nil)
            }
        if let wait = Self.waitTooLong(error) {
            (kind, status, text) = ("rateLimited", nil, "\(wait)")
        }
        isPassing = Self.passingKinds.contains(kind) || kind == "unreadable" && isGarbled
        // Errors contain no token; if a service's message does, it is removed here.
        message = token.map { $0.count < 6 ? text : text.replacingOccurrences(of: $0, with: "…") } ?? text
    }

    /// The error that kept a request from being sent, if any.
    private static func waitTooLong(_ error: any Error) -> WaitTooLong? {
        let inner = (error as? ExistError)?.exchange ?? (error as? MyDataHelpsError)?.underlyingError
        guard case .other(let cause) = (inner as? ExchangeError)?.reason else { return nil }
        return cause as? WaitTooLong
    }

    private static func kind(_ kind: ExistError.Kind) -> String {
        if case .rateLimited = kind { return "rateLimited" }
        return "\(kind)"
    }

    private static func kind(_ error: MyDataHelpsError) -> (String, Int?) {
        switch error {
        case .timedOut: ("timedOut", nil)
        case .unauthorizedRequest(let response), .tooManyRequests(_, let response), .serverError(let response):
            (kind(ofStatus: response.statusCode), response.statusCode)
        // Without a response, or with an unreadable one, the services do not differ.
        default: (kind(ExistError(error.underlyingError ?? error).kind), nil)
        }
    }

    private static func kind(ofStatus status: Int) -> String {
        switch status {
        case 300..<400: "redirected"
        case 401: "unauthorized"
        case 403: "forbidden"
        case 404: "notFound"
        case 429: "rateLimited"
        case 500...: "serviceFault"
        default: "rejected"
        }
    }
}
