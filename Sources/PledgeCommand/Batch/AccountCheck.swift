import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeBatch
import PledgeCoding

/// The option `--check`: requests only the profile of each account, and shows the accounts that would fail.
enum AccountCheck {
    static let option = Option.flag(
        "--check", "fetch each account's profile and nothing else, to show which accounts would fail")

    /// Throws a usage error if one of these options or `--metrics` was given, because they would have no effect on a
    /// check.
    static func refuse(_ options: [any AnyOption], in arguments: Arguments) throws {
        guard let option = (options + [BatchOptions.metrics]).first(where: arguments.has) else { return }
        throw UsageError(
            "\(option.name) does not apply to --check, which fetches only profiles and stores nothing: omit one.")
    }

    static func run(_ input: BatchInput, _ accounts: Set<HashKey>?) throws -> ExitCode {
        let rows = Locked<[[String]]>([])
        var session = BatchSession(input: input)
        session.toDo = accounts?.count
        session.isCheck = true
        return try session.run(
            work: { account in
                let id = account.line.id
                return account.tokens.token().then(on: nil) { _ -> Promise<Void> in
                    switch id.service {
                    case .exist: account.exist().user().asVoid()
                    case .mydatahelps: account.participant().getParticipantInfo().asVoid()
                    }
                }.map(on: nil) { BatchItem.Outcome.done() }.recover(on: .pledge) {
                    error -> Promise<BatchItem.Outcome> in
                    let error = account.error(error)
                    rows.withLock { $0.append([id.account, id.service.rawValue, error.kind, error.message]) }
                    return .value(.failed(kind: error.kind))
                }
            },
            ending: { _ in
                try show(rows.withLock { $0 }, input.options.context)
                return nil
            }
        ).code
    }

    /// Prints a table of the accounts that would fail. In a terminal, the table is cut to the terminal's width.
    /// Elsewhere, it is printed in full.
    private static func show(_ rows: [[String]], _ context: RunContext) throws {
        guard !rows.isEmpty else { return }
        let listing = Listing(
            columns: [
                .init("account", "ACCOUNT"), .init("service", "SERVICE"), .init("kind", "WOULD FAIL AS"),
                .init("message", "WHY"),
            ],
            rows: rows.sorted { ($0[2], $0[1], $0[0]) < ($1[2], $1[1], $1[0]) }.map { $0.map(Listing.Cell.text) })
        let width = context.terminal.outputIsTerminal ? context.terminal.width : .max
        try context.terminal.show(TextTable(listing: listing, width: width, zone: context.timeZone).rendered())
    }
}
