import ExistKit
import Foundation
import MyDataHelpsKit

/// `pledge export --check`: asks for each account's profile once, and says what would fail.
struct AccountCheck {
    var options: ExportOptions
    var clients: BatchClients

    private typealias Row = (account: String, service: String, kind: String, message: String)

    func run(_ input: BatchInput, _ accounts: Set<AccountKey>?) throws -> Int32 {
        let rows = Locked<[Row]>([])
        var session = BatchSession(options: options.batch, input: input)
        session.toDo = accounts?.count
        return try session.run(
            work: { slot in
                check(slot).map(on: .pledge) { error -> Batch.Outcome in
                    guard let error else { return .done }
                    rows.withLock {
                        $0.append(
                            (slot.account.id.account, slot.account.id.service.rawValue, error.kind, error.message))
                    }
                    return .failed(kind: error.kind)
                }
            },
            ending: { _ in
                try Terminal.write(Self.table(rows.withLock { $0 }))
                return []
            })
    }

    /// - Returns: what would fail; nil if nothing would.
    private func check(_ slot: AccountSlot) -> Promise<AccountError?> {
        let token: String
        do {
            token = try slot.account.token()
        } catch {
            return .value(AccountError(error, section: nil, hiding: nil))
        }
        let profile: Promise<Void>
        switch slot.account.id.service {
        case .exist: profile = clients.exist(slot, token: token) { _ in }.user().map(on: nil) { _ in }
        case .mydatahelps:
            profile = clients.participant(slot, token: token) { _ in }.getParticipantInfo().map(on: nil) { _ in }
        }
        return profile.map(on: nil) { nil }.recover(on: .pledge) { error -> Promise<AccountError?> in
            .value(AccountError(error, section: nil, hiding: token, isGarbled: slot.isGarbled))
        }
    }

    private static func table(_ rows: [Row]) -> String {
        guard !rows.isEmpty else { return "" }
        let sorted = rows.sorted { ($0.kind, $0.service, $0.account) < ($1.kind, $1.service, $1.account) }
        let lines =
            [("ACCOUNT", "SERVICE", "WOULD FAIL AS", "WHY")]
            + sorted.map { ($0.account.onOneLine, $0.service, $0.kind, $0.message.onOneLine) }
        let widths = (
            lines.map(\.0.count).max() ?? 0, lines.map(\.1.count).max() ?? 0, lines.map(\.2.count).max() ?? 0
        )
        func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: width - text.count) }
        return lines.map {
            "\(padded($0.0, widths.0))  \(padded($0.1, widths.1))  \(padded($0.2, widths.2))  \($0.3)\n"
        }.joined()
    }
}
