import ExistKit
import MyDataHelpsKit
import PledgeHTTP

extension Error {
    /// A code for programs, the same for both services, and the status of the response if there was one.
    package var kindAndStatus: (kind: String, status: Int?) {
        let status = (self as? MyDataHelpsError)?.status ?? exchangeError?.status
        return (self is IdentityChange || isOtherOwner ? "identity" : failure.rawValue, status)
    }

    /// Whether a client refused to send a token because it is another person's.
    var isOtherOwner: Bool {
        if self is OtherOwner { return true }
        guard case .credential(let cause)? = exchangeError?.reason else { return false }
        return cause is OtherOwner
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
    var concernsOneList: Bool { isRefusal || failure == .unreadable && !lacksToken }

    /// Whether the service works, and refused only what was requested.
    package var isRefusal: Bool { [.forbidden, .notFound, .rejected].contains(failure) && !lacksToken }

    /// Without a token, nothing can be read.
    private var lacksToken: Bool {
        if case .credential? = exchangeError?.reason { true } else { false }
    }
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
