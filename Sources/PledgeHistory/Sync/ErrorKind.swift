import ExistKit
import MyDataHelpsKit

extension Error {
    /// A code for programs, the same for both services, and the status of the response if there was one.
    package var kindAndStatus: (kind: String, status: Int?) {
        let error: any Error = self
        return switch error {
        case let error as ExistError: (error.kind.code, error.exchange?.status)
        case is IdentityChange: ("identity", nil)
        case MyDataHelpsError.timedOut: ("timedOut", nil)
        case MyDataHelpsError.unauthorizedRequest(let response), MyDataHelpsError.tooManyRequests(_, let response),
            MyDataHelpsError.serverError(let response):
            (kind(ofStatus: response.statusCode), response.statusCode)
        // Without a response, or with an unreadable one, the services do not differ.
        case let error as MyDataHelpsError: (ExistError(error.underlyingError ?? error).kind.code, nil)
        default: (error is StuckList ? "unreadable" : "other", nil)
        }
    }
}

private func kind(ofStatus status: Int) -> String {
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

extension ExistError.Kind {
    fileprivate var code: String {
        if case .rateLimited = self { return "rateLimited" }
        return "\(self)"
    }
}
