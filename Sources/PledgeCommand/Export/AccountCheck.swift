import ExistKit
import Foundation
import MyDataHelpsKit

/// `pledge export --check`: requests each account's profile once, and reports what would fail.
struct AccountCheck {
    var options: ExportOptions
    var clients: BatchClients

    func run(_ input: BatchInput, _ accounts: Set<AccountKey>?) throws -> Int32 {
        let rows = Locked<[[String]]>([])
        var session = BatchSession(options: options.batch, input: input)
        session.toDo = accounts?.count
        session.isCheck = true
        return try session.run(
            work: { slot in
                let (id, token) = (slot.account.id, Result { try slot.account.token() })
                return firstly {
                    profile(slot, token: try token.get())
                }.map(on: nil) { Batch.Outcome.done }.recover(on: .pledge) { error -> Promise<Batch.Outcome> in
                    let error = AccountError(error, hiding: try? token.get(), isGarbled: slot.isGarbled)
                    rows.withLock { $0.append([id.account, id.service.rawValue, error.kind, error.message]) }
                    return .value(.failed(kind: error.kind))
                }
            },
            ending: { _ in
                try Terminal.show(table(rows.withLock { $0 }), options.batch.environment, isPaged: false)
                return nil
            })
    }

    private func profile(_ slot: AccountSlot, token: String) -> Promise<Void> {
        switch slot.account.id.service {
        case .exist: clients.exist(slot, token: token) { _ in }.user().asVoid()
        case .mydatahelps: clients.participant(slot, token: token) { _ in }.getParticipantInfo().asVoid()
        }
    }

    /// At full width if the output is not a terminal.
    private func table(_ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        let listing = Listing(
            columns: [
                .init("account", "ACCOUNT"), .init("service", "SERVICE"), .init("kind", "WOULD FAIL AS"),
                .init("message", "WHY"),
            ],
            rows: rows.sorted { ($0[2], $0[1], $0[0]) < ($1[2], $1[1], $1[0]) }.map { $0.map(Listing.Cell.text) })
        return TextTable(
            listing, width: Terminal.isPerson ? Terminal.width(options.batch.environment) : .max, color: false
        ).rendered()
    }
}
