import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// Creates the line of an account in the results. The line contains the requested data, or an error.
struct AccountExport: Sendable {
    let options: ExportOptions
    let reporter: ProgressReporter

    /// Reads the data of an account, and returns its line with the outcome.
    ///
    /// - Rejects: With ``PromiseError/cancelled`` or ``FileError``. After any other error, the promise is fulfilled
    ///   with a line that contains the error.
    func line(of account: RunningAccount) -> Promise<(LineBuffer, BatchItem.Outcome)> {
        let line = LineBuffer(account.line.id, at: account.line.address)
        account.slot.whenParked { line.spill() }
        return firstly {
            read(account, into: line)
        }.map(on: nil) {
            (line, BatchItem.Outcome.done(unreadable: line.unreadable))
        }.recover(only: AccountError.self, on: nil) { error in
            Promise.value((try Self.errorLine(error, account.line), .failed(kind: error.kind)))
        }.get(on: nil) { line, _ in
            let cost = account.slot.cost
            let unreadable = line.unreadable.values.reduce(0, +)
            try line.write { json in
                json.object("run") { json in
                    json.field("requests", cost.requests)
                    json.field("attempts", cost.attempts)
                    json.field("seconds", NumberText.rounded(account.slot.seconds, decimals: 3))
                    json.field("finished", Timestamp.text(account.slot.now))
                    if unreadable > 0 { json.field("unreadable", unreadable) }
                }
            }
        }
    }

    /// Reads the requested sections of an account, and writes them to the line.
    ///
    /// - Rejects: With ``AccountError``, unless reading was canceled or the line could not be written.
    private func read(_ account: RunningAccount, into line: LineBuffer) -> Promise<Void> {
        let service = account.line.id.service
        let days = options.window
        let note: RunningAccount.Note = { [reporter] list, item in
            guard item.isKept else { return line.add(unreadable: "In \(list), \(item).") }
            reporter.remark("\(service.title) sends something it doesn't document: \(item.reason).")
        }
        // Each of these clients works for one person only. So a line never contains the data of two people, even if the
        // account gets another person's token meanwhile.
        let read: @Sendable (ExportOptions.Section) -> Promise<Void>
        switch service {
        case .exist:
            let (existAPI, owner) = account.exist(note).ofOneOwner()
            read = ExistAccount(existAPI: existAPI, owner: owner, days: days, line: line).read
        case .mydatahelps:
            let (session, owner) = account.participant(note).ofOneOwner()
            read =
                ParticipantAccount(
                    session: session, owner: owner, serviceAccount: account.serviceAccount(note), days: days,
                    line: line,
                    describe: { account.error($0, section: ExportOptions.Section.devicedata.rawValue).message }
                ).read
        }
        // The sections are read one after another. Reading them at the same time would save little, because the account
        // has its own rate limit, and other accounts are read at the same time.
        let sections = ExportOptions.Section.allCases.filter { $0.service == service && options.sections.contains($0) }
        @Sendable func failure(_ error: any Error, _ section: ExportOptions.Section?) -> any Error {
            if error.isCancelled || error is FileError { return error }
            return account.error(error, section: section?.rawValue)
        }
        let start = account.tokens.token().mapError(on: nil) { failure($0, nil) }.asVoid()
        return sections.reduce(start) { before, section in
            before.then(on: nil) { _ -> Promise<Void> in
                line.begin(section)
                return read(section).mapError(on: nil) { failure($0, section) }
            }
        }
    }

    /// Returns a line that contains only the error of an account.
    private static func errorLine(_ error: AccountError, _ account: AccountLine) throws -> LineBuffer {
        let line = LineBuffer(account.id, at: account.address)
        try line.write { json in
            json.object("error") { json in
                json.field("kind", error.kind)
                if error.isPassing { json.field("passing", true) }
                json.field("status", error.status)
                json.field("section", error.section)
                json.field("message", error.message)
            }
        }
        return line
    }
}
