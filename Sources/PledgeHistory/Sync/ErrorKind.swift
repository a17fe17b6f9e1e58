import ExistKit
import MyDataHelpsKit
import PledgeHTTP

extension Error {
    /// A code for programs, the same for both services, and the status of the response if there was one.
    package var kindAndStatus: (kind: String, status: Int?) {
        self is IdentityChange ? ("identity", nil) : (failure.kind.rawValue, failure.status)
    }

    /// The kind of the error, the same for both services, and the status of the response if there was one.
    var failure: (kind: FailureKind, status: Int?) {
        let error: any Error = self
        return switch error {
        case is StuckList: (.unreadable, nil)
        case let error as ExistError: (error.failure, error.status)
        case MyDataHelpsError.timedOut: (.timedOut, nil)
        case MyDataHelpsError.unauthorizedRequest(let response), MyDataHelpsError.tooManyRequests(_, let response),
            MyDataHelpsError.serverError(let response):
            (Diagnosis(status: response.statusCode).kind, response.statusCode)
        case let error as MyDataHelpsError: (FailureKind(error.underlyingError ?? error), nil)
        default: (FailureKind(error), nil)
        }
    }
}
