import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch
import PledgeHTTP
import PledgeHistory

/// Syncs one account of `pledge sync accounts.jsonl --database study.db`.
struct AccountSync: Sendable {
    let options: SyncOptions
    let history: History

    /// - Rejects: With cancellation, or with a database error, after which the batch cannot continue.
    func run(_ slot: AccountSlot) -> Promise<BatchItem.Outcome> {
        var sync = options
        sync.isStopped = { slot.batch.isStopped }
        sync.now = { slot.batch.now }
        sync.address = slot.account.address?.redacted
        sync.describe = { slot.error($0).message }
        sync.kind = { slot.error($0).kind }
        let name = slot.account.id.account
        // The run records undecodable items.
        let summary =
            switch slot.account.id.service {
            case .exist: history.sync(slot.exist(), as: name, options: sync)
            case .mydatahelps:
                history.sync(slot.participant(), as: name, serviceAccount: slot.serviceAccount(), options: sync)
            }
        return summary.map(on: nil) { summary -> BatchItem.Outcome in
            let unreadable = summary.unreadable
            guard let first = summary.gaps.first else {
                return .done(unreadable: unreadable)
            }
            let lists = Dictionary(summary.gaps.map { ($0.list, $0.kind) }, uniquingKeysWith: { first, _ in first })
            return .failed(kind: first.kind, lists: lists, unreadable: unreadable)
        }.recover(on: .pledge) { error -> Promise<BatchItem.Outcome> in
            guard !(error is DatabaseError), !error.isCancelled else { throw error }
            return .value(.failed(kind: slot.error(error).kind))
        }
    }
}
