import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeHTTP
import PledgeHistory

/// `pledge sync accounts.jsonl --database study.db`: the batch of the export, with a database instead of lines.
struct AccountsSync: Sendable {
    let options: SyncRequest
    let clients: BatchClients
    let history: History

    func run(_ input: BatchInput) throws -> Int32 {
        let accounts = try input.survey()
        var session = BatchSession(options: options.batch, input: input)
        session.toDo = accounts?.count
        session.advice = "the same command goes on from here."
        return try session.run(work: { sync($0) }) { tally in
            LogEvent(errors: tally.errors) { _ in " Which and why is in the table sync_run." }
        }
    }

    /// - Rejects: With cancellation, or with an error of the database, after which the batch cannot continue.
    func sync(_ slot: AccountSlot) -> Promise<Batch.Outcome> {
        let token = Result { try slot.account.token() }
        @Sendable func failure(_ error: any Error) -> AccountError {
            AccountError(error, hiding: try? token.get(), isGarbled: slot.isGarbled)
        }
        var sync = SyncOptions()
        sync.overlap = options.overlap
        sync.requests = RequestCount { slot.cost.requests }
        sync.isStopped = { slot.isStopped }
        sync.now = { slot.finished }
        sync.address = slot.account.address?.asBase.redacted
        sync.describe = { failure($0).message }
        return firstly { [sync] () throws -> Promise<SyncSummary> in
            let token = try token.get()
            let name = slot.account.id.account
            // The run notes items that cannot be read.
            switch slot.account.id.service {
            case .exist:
                return history.sync(clients.exist(slot, token: token) { _ in }, as: name, options: sync)
            case .mydatahelps:
                return history.sync(clients.participant(slot, token: token) { _ in }, as: name, options: sync)
            }
        }.map(on: nil) { _ in Batch.Outcome.done }.recover(on: .pledge) { error -> Promise<Batch.Outcome> in
            guard !(error is DatabaseError), !error.isCancelled else { throw error }
            return .value(.failed(kind: failure(error).kind))
        }
    }
}
