import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch
import PledgeHTTP
import PledgeHistory

/// `pledge sync accounts.jsonl --database study.db`: the batch of the export, with a database instead of lines.
struct AccountsSync: Sendable {
    let options: SyncRequest
    let history: History

    /// - Parameter accounts: Those of the input that were named; nil if they are not known before they are read.
    func run(_ input: BatchInput, _ accounts: Set<HashKey>?, _ report: RunReport) throws -> Int32 {
        let retried = try options.retried(in: history)
        if let retried { input.begin(only: options.named?.intersection(retried) ?? retried) }
        let accounts = retried.map { accounts?.intersection($0) } ?? accounts
        if options.batch.arguments[AccountCheck.option] {
            return try AccountCheck(options: options.batch).run(input, accounts, report)
        }
        var session = BatchSession(options: options.batch, input: input, report: report)
        session.toDo = accounts?.count
        session.advice = "the same command goes on from here."
        return try session.run(work: { sync($0) }) { tally in
            LogEvent(errors: tally.errors, lists: tally.lists) { _ in " Which and why is in the table sync_run." }
        }
    }

    /// - Rejects: With cancellation, or with an error of the database, after which the batch cannot continue.
    func sync(_ slot: AccountSlot) -> Promise<BatchJob.Outcome> {
        var sync = options.sync
        sync.requests = RequestCount { slot.cost.requests }
        sync.isStopped = { slot.isStopped }
        sync.now = { slot.finished }
        sync.address = slot.account.address?.asBase.redacted
        sync.describe = { slot.error($0).message }
        sync.kind = { slot.error($0).kind }
        let name = slot.account.id.account
        return slot.tokens.token().recover(on: nil) { [sync] error -> Promise<String> in
            if !error.isCancelled { try history.record(error, of: name, slot.account.id.service, sync) }
            throw error
        }.then(on: nil) { [sync] _ -> Promise<SyncSummary> in
            // The run notes items that cannot be read.
            switch slot.account.id.service {
            case .exist: history.sync(slot.exist(), as: name, options: sync)
            case .mydatahelps: history.sync(slot.participant(), as: name, options: sync)
            }
        }.map(on: nil) { summary -> BatchJob.Outcome in
            let unreadable = summary.unreadable
            guard let first = summary.gaps.first else {
                return unreadable.isEmpty ? .done : .partial(unreadable: unreadable)
            }
            let lists = Dictionary(summary.gaps.map { ($0.list, $0.kind) }, uniquingKeysWith: { first, _ in first })
            return .failed(kind: first.kind, lists: lists, unreadable: unreadable)
        }.recover(on: .pledge) { error -> Promise<BatchJob.Outcome> in
            guard !(error is DatabaseError), !error.isCancelled else { throw error }
            return .value(.failed(kind: slot.error(error).kind))
        }
    }
}
