import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeSandbox

/// The demo: sample data of both services, from local servers.
extension Access {
    /// Returns an account of Exist: the environment's or a stored profile's, or else the demo's.
    func exist(_ adapt: Adaptation = { _ in }) throws -> Account<ExistAPI> {
        try exist(credential(.exist) ?? beginDemo(.exist), adapt)
    }

    /// Returns an account of MyDataHelps: the environment's or a stored profile's, or else the demo's.
    func participant() throws -> Account<ParticipantSession> {
        try participant(credential(.mydatahelps) ?? beginDemo(.mydatahelps))
    }

    /// Starts a sandbox, which runs as long as the process.
    func demo(_ service: Service) throws -> Credential {
        let (token, address): (String, URL)
        switch service {
        case .exist:
            let sandbox = try ExistSandbox.start()
            (token, address) = (sandbox.token, sandbox.baseURL)
        case .mydatahelps:
            let sandbox = try MyDataHelpsSandbox.start()
            (token, address) = (sandbox.token, sandbox.baseURL)
        }
        return Credential(authorizer: .bearer(token), address: address, origin: "demo", isDemo: true)
    }

    /// Starts the demo, and announces it on standard error; throws if the user ruled it out.
    func beginDemo(_ service: Service) throws -> Credential {
        try checkAddress(service)
        try checkDemo(
            "There is no account: set \(service.tokenName), or sign in with “\(login(service))”.")
        // A table or report on a terminal announces the demo itself.
        if !arguments.isForReading { terminal.tell(Listing.demoNote(login(service))) }
        return try demo(service)
    }
}
