import ExistKit
import Foundation
import MyDataHelpsKit

/// What an account came to instead of a result, as its line says it.
struct AccountError: Error {
    /// A word for programs; the same for both services.
    var kind: String
    var status: Int?
    var section: String?
    /// A sentence for people.
    var message: String

    init(_ error: any Error, section: ExportOptions.Section?, hiding token: String?) {
        self.section = section?.rawValue
        (kind, status) =
            switch error {
            case let error as ExistError: (Self.kind(error.kind), error.exchange?.status)
            case let error as MyDataHelpsError: Self.kind(error)
            case is NoToken: ("noToken", nil)
            default: ("other", nil)
            }
        let text = "\(error)"
        // Errors hold no token; should a service's own words do, they lose it here.
        message = token.map { $0.count < 6 ? text : text.replacingOccurrences(of: $0, with: "…") } ?? text
    }

    private static func kind(_ kind: ExistError.Kind) -> String {
        if case .rateLimited = kind { return "rateLimited" }
        return "\(kind)"
    }

    private static func kind(_ error: MyDataHelpsError) -> (String, Int?) {
        switch error {
        case _ where error.isCancelled: ("cancelled", nil)
        case _ where error.isOffline: ("unreachable", nil)
        case _ where error.isMissingAccessToken: ("noToken", nil)
        case .encodingError: ("invalidArgument", nil)
        case .decodingError: ("unreadable", nil)
        case .timedOut: ("timedOut", nil)
        case .unauthorizedRequest(let response): ("unauthorized", response.statusCode)
        case .tooManyRequests(_, let response): ("rateLimited", response.statusCode)
        case .serverError(let response): (kind(ofStatus: response.statusCode), response.statusCode)
        case .unknown(let error as ExchangeError): (kind(of: error), error.status)
        case .invalidSurvey, .webContentError, .unknown: ("other", nil)
        }
    }

    private static func kind(of error: ExchangeError) -> String {
        switch error.reason {
        case .redirected: "redirected"
        case .transport(.untrusted): "untrusted"
        case .transport: "unreadable"
        default: "other"
        }
    }

    private static func kind(ofStatus status: Int) -> String {
        switch status {
        case 403: "forbidden"
        case 404: "notFound"
        case 429: "rateLimited"
        case 500...: "serviceFault"
        default: "rejected"
        }
    }
}
