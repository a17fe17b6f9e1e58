import ExistKit
import MyDataHelpsKit

/// What an error of a list says about the others.
enum SyncTrouble {
    /// Nothing: it is about what was asked for.
    case oneList
    /// The service has a problem of its own, perhaps with that list alone.
    case service
    /// They would fail as well: it is about who asks, or when.
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
        case nil:
            let error = ExistError(self)
            return error.kind == .unreadable ? .oneList : SyncTrouble(status: error.exchange?.status)
        }
    }
}
