import ExistKit
import MyDataHelpsKit
import PledgeHTTP

extension Error {
    /// A code for programs, the same for both services, and the status of the response if there was one.
    package var kindAndStatus: (kind: String, status: Int?) {
        let error = self as? MyDataHelpsError
        let status =
            (self as? ExistError)?.status ?? error?.status ?? (error?.underlyingError as? ExchangeError)?.status
        return (self is IdentityChange ? "identity" : failure.rawValue, status)
    }

    /// The kind of the error, the same for both services.
    var failure: FailureKind {
        let error: any Error = self
        return switch error {
        case is StuckList: .unreadable
        case let error as ExistError: error.kind
        case MyDataHelpsError.timedOut: .timedOut
        case let error as MyDataHelpsError:
            error.status.map { Diagnosis(status: $0).kind } ?? FailureKind(error.underlyingError ?? error)
        default: FailureKind(error)
        }
    }

    /// Whether the error concerns only what was requested, so that other lists can be read. Others concern the service,
    /// the account, the connection, or the time of the request.
    var concernsOneList: Bool { [.forbidden, .notFound, .unreadable, .rejected].contains(failure) }
}

extension MyDataHelpsError {
    fileprivate var status: Int? {
        switch self {
        case .unauthorizedRequest(let response), .tooManyRequests(_, let response), .serverError(let response):
            response.statusCode
        default: nil
        }
    }
}
