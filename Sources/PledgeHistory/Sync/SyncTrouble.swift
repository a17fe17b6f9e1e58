import ExistKit
import MyDataHelpsKit

/// What an error of one list means for the other lists.
enum SyncTrouble {
    /// Only this list is affected: the error concerns what was requested.
    case oneList
    /// The service itself has failed, perhaps only for this list.
    case service
    /// All lists are affected: the error concerns the account, the connection, or the time of the request.
    case account

    fileprivate init(status: Int?) {
        switch status {
        case 401?, 408?, 429?: self = .account
        case let status? where status >= 500: self = .service
        case let status? where status >= 400: self = .oneList
        default: self = .account
        }
    }
}

extension Error {
    var trouble: SyncTrouble {
        switch self as? MyDataHelpsError {
        case .serverError(let response)?: return SyncTrouble(status: response.statusCode)
        case .decodingError?: return .oneList
        case _?: return .account
        case nil where self is StuckList: return .oneList
        case nil:
            let error = ExistError(self)
            return error.kind == .unreadable ? .oneList : SyncTrouble(status: error.exchange?.status)
        }
    }
}
