import ExistKit
import Foundation
import MyDataHelpsKit

/// Makes the draft of one account: everything that is wanted of it, or an error.
struct AccountExport: Sendable {
    let clients: ExportClients
    let options: ExportOptions

    /// - Rejects: with ``PromiseError/cancelled`` if it was given up, or with ``StopError``; never with what a service
    ///   answers, which becomes the draft of an error.
    func draft(of account: AccountLine, _ slot: AccountSlot) -> Promise<(draft: Draft, isError: Bool)> {
        let draft = Draft(account.id, withTables: options.csv)
        let token: String
        do {
            token = try account.token()
        } catch {
            return failure(account.id, AccountError(error, section: nil, hiding: nil))
        }
        let read: @Sendable (ExportOptions.Section) -> Promise<Void>
        switch account.id.service {
        case .exist:
            read = ExistAccount(clients.exist(account, token: token, slot, draft), options, draft).read
        case .mydatahelps:
            let session = clients.participant(account, token: token, slot, draft)
            read = ParticipantAccount(session, options, draft).read
        }
        // One after another: an account has a limit of its own, and others are under way meanwhile.
        let sections = ExportOptions.Section.allCases.filter {
            $0.service == account.id.service && options.sections.contains($0)
        }
        return sections.reduce(Promise()) { before, section in
            before.then(on: .pledge) { _ -> Promise<Void> in
                read(section).mapError(on: .pledge) { error in
                    if error.isCancelled || error is StopError { return error }
                    return AccountError(error, section: section, hiding: token)
                }
            }
        }.map(on: .pledge) { (draft: draft, isError: false) }
            .recover(only: AccountError.self, on: .pledge) { failure(account.id, $0) }
    }

    private func failure(_ id: AccountID, _ error: AccountError) -> Promise<(draft: Draft, isError: Bool)> {
        firstly { () throws -> Promise<(draft: Draft, isError: Bool)> in
            let draft = Draft(id, withTables: false)
            try draft.write { page in
                page.json.object("error") { json in
                    json.field("kind", error.kind)
                    json.field("status", error.status)
                    json.field("section", error.section)
                    json.field("message", error.message)
                }
            }
            return .value((draft: draft, isError: true))
        }
    }
}
