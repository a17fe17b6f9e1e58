import PledgeBatch
import PledgeHistory
import PledgeHTTP

/// Syncs one account of `pledge sync accounts.jsonl --database study.db`.
struct AccountSync: Sendable {
    let options: SyncOptions
    let history: History

    /// Syncs an account, and returns the outcome.
    ///
    /// - Rejects: If the sync is canceled, or with a database error, after which the batch cannot continue. After any
    ///   other error, the promise is fulfilled with an outcome that contains the kind of the error.
    func run(_ account: RunningAccount) -> Promise<BatchItem.Outcome> {
        var sync = options
        sync.isStopped = { account.slot.isStopped }
        sync.now = { account.slot.now }
        sync.address = account.line.address?.redacted
        sync.describe = { account.error($0).message }
        sync.kind = { account.error($0).kind }
        let name = account.line.id.account
        // The sync itself records items that could not be read, so the clients are created without a closure for them.
        let summary =
            switch account.line.id.service {
            case .exist: history.sync(account.exist(), as: name, options: sync)
            case .mydatahelps:
                history.sync(account.participant(), as: name, serviceAccount: account.serviceAccount(), options: sync)
            }
        return summary.map(on: nil) { summary -> BatchItem.Outcome in
            let unreadable = summary.unreadable
            guard let first = summary.gaps.first else {
                return .done(unreadable: unreadable)
            }
            let lists = Dictionary(summary.gaps.map { ($0.list, $0.kind) }, uniquingKeysWith: { first, _ in first })
            return .failed(kind: first.kind, lists: lists, unreadable: unreadable)
        }.recover(on: .pledge) { error -> Promise<BatchItem.Outcome> in
            guard !(error is DatabaseError) else { throw error }
            return .value(.failed(kind: account.error(error).kind))
        }
    }
}
