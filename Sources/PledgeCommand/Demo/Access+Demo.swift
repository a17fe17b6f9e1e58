import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeSandbox

/// The demo, which shows sample data of both services. Servers inside this process provide the data.
extension Access {
    /// Returns the account of Exist for a command. The account comes from the environment or else from a stored
    /// profile. With `--demo`, or if there is no account, the demo provides one.
    func exist(_ adapt: Adaptation = { _ in }) throws -> Account<ExistAPI> {
        try exist(chosenCredential(.exist), adapt)
    }

    /// Returns the account of MyDataHelps for a command. The account comes from the environment or else from a stored
    /// profile. With `--demo`, or if there is no account, the demo provides one.
    func participant() throws -> Account<ParticipantSession> {
        try participant(chosenCredential(.mydatahelps))
    }

    private func chosenCredential(_ service: Service) throws -> Credential {
        if !arguments[Self.demo], let own = try credential(service) { return own }
        return try beginDemo(service)
    }

    /// Starts a sandbox of the service, and returns the credential of its account. The sandbox runs until the process
    /// ends.
    func demo(_ service: Service) throws -> Credential {
        let (token, address): (String, URL)
        switch service {
        case .exist:
            let sandbox = try ExistSandbox.start(now: arguments.context.clock.now)
            token = sandbox.token
            address = sandbox.baseURL
        case .mydatahelps:
            let sandbox = try MyDataHelpsSandbox.start(now: arguments.context.clock.now)
            token = sandbox.token
            address = sandbox.baseURL
        }
        return Credential(authorizer: .bearer(token), address: address, origin: .demo)
    }

    /// Starts a sandbox of MyDataHelps. Returns its address, the name of its service account, and its project. The
    /// sandbox accepts any key for the service account.
    func demoServiceAccount() throws -> (address: URL, name: String, project: String) {
        let sandbox = try MyDataHelpsSandbox.start(now: arguments.context.clock.now)
        return (sandbox.baseURL, sandbox.serviceAccount, sandbox.projectID)
    }

    /// Returns the error of a command that needs an account of the service, but has none.
    func noAccount(_ service: Service) -> UsageError {
        UsageError(
            "There is no account: set \(service.tokenName), or sign in with “\(login(service))”. For sample data, add "
                + "--demo.")
    }

    /// Starts the demo, and announces it on standard error.
    ///
    /// If the user didn't ask for the demo, it starts only if the output is for a person, who will see at once that the
    /// data is invented. In all other cases, this method throws, so that a scheduled job that has lost its token
    /// doesn't continue with sample data.
    func beginDemo(_ service: Service) throws -> Credential {
        if !arguments[Self.demo] {
            try checkAddress(service)
            guard arguments.showsDemo else { throw noAccount(service) }
        }
        // A table or report that goes to a terminal begins with the same announcement.
        if !arguments.isText || !terminal.outputIsTerminal { terminal.notify(Listing.demoNote(login(service))) }
        return try demo(service)
    }
}

extension Arguments {
    /// Whether the output is text for people. False for JSON, CSV, and HTML, and for commands that don't print data.
    fileprivate var isText: Bool {
        let forms: [any AnyOption] = [Listing.json, Listing.jsonl, Listing.csv, Listing.html]
        return accepts(Listing.json) && !forms.contains(where: has)
    }

    /// Whether a person sees at once that the data is invented. A report always begins with a line that says so. A list
    /// begins with that line only if it is printed to a terminal.
    var showsDemo: Bool {
        // Reports are the only commands for reading data that have the option --html.
        isText && command.part == .reading && (accepts(Listing.html) || terminal.outputIsTerminal)
    }
}
