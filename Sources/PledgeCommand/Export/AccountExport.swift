import ExistKit
import Foundation
import MyDataHelpsKit

/// Creates the draft of an account: everything requested of it, or an error.
///
/// A class, because thousands of waiting accounts retain it.
final class AccountExport: Sendable {
    private let clients: BatchClients
    private let options: ExportOptions

    init(_ clients: BatchClients, _ options: ExportOptions) {
        (self.clients, self.options) = (clients, options)
    }

    typealias Result = (draft: Draft, outcome: Batch.Outcome)

    /// - Rejects: With ``PromiseError/cancelled`` if it was given up, or with ``StopError``; never with an error of the
    ///   service, which becomes the draft of an error.
    func draft(_ slot: AccountSlot) -> Promise<Result> {
        let account = slot.account
        let draft = Draft(account.id, withTables: options.csv)
        slot.whenParked { draft.rest() }
        let token: String
        do {
            token = try account.token()
        } catch {
            return failure(slot, AccountError(error, hiding: nil, isGarbled: false))
        }
        let read: @Sendable (ExportOptions.Section) -> Promise<Void>
        switch account.id.service {
        case .exist:
            read =
                ExistAccount(
                    existAPI: clients.exist(slot, token: token, draft.note), days: options.window,
                    correlations: options.correlations, draft: draft
                ).read
        case .mydatahelps:
            let session = clients.participant(slot, token: token, draft.note)
            read = ParticipantAccount(session: session, days: options.window, draft: draft).read
        }
        // Sequentially: an account has a limit of its own, and others are at work meanwhile.
        let sections = ExportOptions.Section.allCases.filter {
            $0.service == account.id.service && options.sections.contains($0)
        }
        return Self.read(sections[...], read) { error, section in
            if error.isCancelled || error is StopError { return error }
            return AccountError(error, section: section, hiding: token, isGarbled: slot.isGarbled)
        }.map(on: nil) {
            try self.finish(draft, slot)
            return (draft, .done)
        }.recover(only: AccountError.self, on: nil) { self.failure(slot, $0) }
    }

    /// Created one by one, as an account may wait for an hour between two.
    private static func read(
        _ sections: ArraySlice<ExportOptions.Section>,
        _ body: @escaping @Sendable (ExportOptions.Section) -> Promise<Void>,
        failing: @escaping @Sendable (any Error, ExportOptions.Section) -> any Error
    ) -> Promise<Void> {
        guard let section = sections.first else { return Promise() }
        return body(section).mapError(on: nil) { failing($0, section) }.then(on: nil) { _ -> Promise<Void> in
            read(sections.dropFirst(), body, failing: failing)
        }
    }

    private func failure(_ slot: AccountSlot, _ error: AccountError) -> Promise<Result> {
        firstly { () throws -> Promise<Result> in
            let draft = Draft(slot.account.id, withTables: false)
            try draft.write { page in
                page.json.object("error") { json in
                    json.field("kind", error.kind)
                    if error.isPassing { json.field("passing", true) }
                    json.field("status", error.status)
                    json.field("section", error.section)
                    json.field("message", error.message)
                }
            }
            try self.finish(draft, slot)
            return .value((draft, .failed(kind: error.kind)))
        }
    }

    private func finish(_ draft: Draft, _ slot: AccountSlot) throws {
        let cost = slot.cost
        try draft.write { page in
            page.json.object("run") { json in
                json.field("requests", cost.requests)
                json.field("attempts", cost.attempts)
                json.field("seconds", NumberText.rounded(slot.seconds, decimals: 3))
                json.field("finished", slot.finished)
            }
        }
    }
}
