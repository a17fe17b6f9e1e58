import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeSandbox

/// The demo: sample data of both services, from local servers.
extension Access {
    /// Returns an account of Exist: that of the environment, of a stored profile, or of the demo.
    func exist(_ adapt: Adaptation = { _ in }) throws -> Account<ExistAPI> {
        try exist(chosenCredential(.exist), adapt)
    }

    /// Returns an account of MyDataHelps: that of the environment, of a stored profile, or of the demo.
    func participant() throws -> Account<ParticipantSession> {
        try participant(chosenCredential(.mydatahelps))
    }

    private func chosenCredential(_ service: Service) throws -> Credential {
        if !arguments[Self.demo], let own = try credential(service) { return own }
        return try beginDemo(service)
    }

    /// Starts a sandbox. It runs until the process ends.
    func demo(_ service: Service) throws -> Credential {
        let (token, address): (String, URL)
        switch service {
        case .exist:
            let sandbox = try ExistSandbox.start()
            token = sandbox.token
            address = sandbox.baseURL
        case .mydatahelps:
            let sandbox = try MyDataHelpsSandbox.start()
            token = sandbox.token
            address = sandbox.baseURL
        }
        return Credential(authorizer: .bearer(token), address: address, origin: "demo", isDemo: true)
    }

    /// Starts a sandbox of MyDataHelps, and returns its service account, for which any key signs, and its project.
    func demoServiceAccount() throws -> (address: URL, name: String, project: String) {
        let sandbox = try MyDataHelpsSandbox.start()
        return (sandbox.baseURL, sandbox.serviceAccount, sandbox.projectID)
    }

    /// Starts the demo, and announces it on standard error. Throws if the user did not ask for the demo and would not
    /// see at once that its data is invented. Otherwise, a job whose secret is missing would go on with sample data.
    func beginDemo(_ service: Service) throws -> Credential {
        if !arguments[Self.demo] {
            try checkAddress(service)
            guard arguments.showsDemo else {
                throw UsageError(
                    "There is no account: set \(service.tokenName), or sign in with “\(login(service))”. For sample "
                        + "data, add --demo.")
            }
        }
        // A table or report on a terminal announces the demo itself.
        if !arguments.isText || !terminal.isPerson { terminal.notify(Listing.demoNote(login(service))) }
        return try demo(service)
    }
}

extension Arguments {
    /// Whether the output is text, rather than a format for programs.
    fileprivate var isText: Bool {
        let forms: [any AnyOption] = [Listing.json, Listing.jsonl, Listing.csv, Listing.html]
        return accepts(Listing.json) && !forms.contains(where: has)
    }

    /// Whether a person sees at once that the data is the demo's. A report begins by saying so, and so does a list on a
    /// terminal.
    var showsDemo: Bool {
        // Only reports have the option --html.
        isText && command.part == .reading && (accepts(Listing.html) || terminal.isPerson)
    }
}
