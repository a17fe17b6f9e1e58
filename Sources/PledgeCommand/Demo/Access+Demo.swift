import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeSandbox

/// The demo: sample data of both services, from local servers.
extension Access {
    func exist(_ adapt: Adaptation = { _ in }) throws -> Account<ExistAPI> {
        if let account = try existAccount(adapt) { return account }
        try beginDemo(.exist)
        return try existDemo(adapt)
    }

    func existDemo(_ adapt: Adaptation = { _ in }) throws -> Account<ExistAPI> {
        let sandbox = try ExistSandbox.start()
        return account(.exist, at: sandbox.baseURL, origin: "demo", demo: sandbox, adapt) { options in
            ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL, options: options)
        }
    }

    func participant() throws -> Account<ParticipantSession> {
        if let account = try participantAccount() { return account }
        try beginDemo(.mydatahelps)
        return try participantDemo()
    }

    func participantDemo(
        language: String? = nil, _ adapt: Adaptation = { _ in }
    ) throws -> Account<ParticipantSession> {
        let sandbox = try MyDataHelpsSandbox.start()
        return account(.mydatahelps, at: sandbox.baseURL, origin: "demo", demo: sandbox, adapt) { options in
            session(sandbox.token, sandbox.baseURL, options, language)
        }
    }

    /// Announces the demo on standard error, or throws if the user ruled it out.
    func beginDemo(_ service: Service) throws {
        try checkAddress(service)
        try checkDemo(
            "There is no account: set \(service.tokenName), or sign in with “\(login(service))”.")
        // A table or report on a terminal announces the demo itself.
        guard !arguments.isForReading else { return }
        terminal.tell(Listing.demoNote(login(service)))
    }
}
