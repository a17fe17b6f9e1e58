import ExistKit
import Foundation
import MyDataHelpsKit

/// `pledge export --check`: asks for each account's profile once, and says what would fail.
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
                check(slot).map(on: .pledge) { error -> Batch.Outcome in
                    guard let error else { return .done }
                    let id = slot.account.id
                    rows.withLock { $0.append([id.account, id.service.rawValue, error.kind, error.message]) }
                    return .failed(kind: error.kind)
                }
            },
            ending: { _ in
                try Terminal.write(table(rows.withLock { $0 }))
                return nil
            })
    }

    /// - Returns: what would fail; nil if nothing would.
    private func check(_ slot: AccountSlot) -> Promise<AccountError?> {
        let token = Result { try slot.account.token() }
        return firstly { () throws -> Promise<Void> in
            switch slot.account.id.service {
            case .exist: clients.exist(slot, token: try token.get()) { _ in }.user().done(on: nil) { _ in }
            case .mydatahelps:
                clients.participant(slot, token: try token.get()) { _ in }.getParticipantInfo().done(on: nil) { _ in }
            }
        }.map(on: nil) { nil }.recover(on: .pledge) { error -> Promise<AccountError?> in
            .value(AccountError(error, section: nil, hiding: try? token.get(), isGarbled: slot.isGarbled))
        }
    }

    /// As wide as it is, where no terminal is in the way.
    private func table(_ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        let listing = Listing(
            columns: [
                .init("account", "ACCOUNT"), .init("service", "SERVICE"), .init("kind", "WOULD FAIL AS"),
                .init("message", "WHY"),
            ],
            rows: rows.sorted { ($0[2], $0[1], $0[0]) < ($1[2], $1[1], $1[0]) }.map { $0.map(Listing.Cell.text) })
        return TextTable(listing, width: Terminal.isPerson ? Terminal.width : .max, color: false).rendered()
    }
}
