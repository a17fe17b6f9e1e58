import PledgeHTTP

/// What an error of one list means for the other lists.
enum SyncTrouble {
    /// Only this list is affected: the error concerns what was requested.
    case oneList
    /// The service itself has failed, perhaps only for this list.
    case service
    /// All lists are affected: the error concerns the account, the connection, or the time of the request.
    case account
}

extension Error {
    var trouble: SyncTrouble {
        let (kind, status) = failure
        switch kind {
        case .serviceFault: return .service
        case .forbidden, .notFound, .unreadable: return .oneList
        case .rejected: return status.map { Diagnosis(status: $0).mayPass } ?? false ? .account : .oneList
        default: return .account
        }
    }
}
