import ExistKit
import Foundation
import MyDataHelpsKit

enum LoginCommand {
    static let isMyDataHelps = Option.flag("--mydatahelps", "sign in to MyDataHelps, by pasting a token")
    static let clientIDName = "EXIST_CLIENT_ID"
    static let clientID = Option<String>.text(
        "--client-id", "ID", "the app's client id", "sign in with OAuth2, as this client of yours (or \(clientIDName))")
    static let redirect = Option<URL>.value(
        "--redirect", "URL", "an address such as http://localhost:8000/, without ? and #",
        "the redirect URI, exactly as registered for the client. If it is not http on this machine, you paste the address "
            + "of the page that the browser then shows", defaultValue: "http://localhost:8000/"
    ) { text in
        guard let url = URL(string: text), url.scheme != nil, url.host != nil, url.query == nil, url.fragment == nil,
            url.user == nil, url.scheme?.lowercased() != "http" || url.isLoopback,
            url.port.map({ UInt16(exactly: $0) != nil }) ?? true
        else { return nil }
        return url
    }
    static let readOnly = Option.flag("--read-only", "request only read access; “pledge set” then fails")
    static let password = Option.flag(
        "--password", "sign in with your user name and password, which pledge asks for, and get a read-only token")
    static let yes = Option.flag("--yes", "store the account without asking, even if it replaces another account")

    static let command = Command(
        name: "login", summary: "sign in to an account, and store it for all other commands", part: .accounts,
        options: [isMyDataHelps, password, clientID, redirect, readOnly, yes, Access.profile] + Access.requests,
        examples: [
            "pledge login": "asks for a token, which is not displayed",
            "pledge login < token.txt": "reads the token from a file",
            "pledge login --password": "asks for user name and password, or reads a line of input for each",
            "EXIST_CLIENT_SECRET=… pledge login --client-id ID":
                "opens the browser and waits for your consent; the token is then renewed automatically",
            "pledge login --mydatahelps --profile study": "a second account, stored under a name",
        ],
        notes: [
            .init(
                title: "WHERE TOKENS ARE",
                text: Access.Service.allCases.map { "\($0.title)  \($0.tokenOrigin)" }.joined(separator: "\n")
                    + """

                    With --client-id, the client's secret is on the same page of Exist, where http://localhost:8000/ must \
                    be registered as a redirect URI. To try it without an account, use what “pledge sandbox” prints.
                    """),
            .init(
                title: "CONFIRMATION",
                text: """
                    pledge shows the name of the account. It asks you to confirm the account if it would replace another
                    account or, in a terminal, if you have signed in with the browser. So nobody can trick you into storing
                    an account of theirs.
                    """),
            .init(
                title: "STORAGE",
                text: """
                    $XDG_CONFIG_HOME/pledge/NAME.json (usually ~/.config/pledge/default.json), accessible only to you (mode
                    600), has the token, its expiration date, and the client secret needed to renew it. None of these is
                    ever printed. On macOS, they are in the Keychain unless XDG_CONFIG_HOME or PLEDGE_KEYCHAIN=0 is set.
                    """),
        ]
    ) { arguments in
        let access = try Access(arguments)
        guard let store = ProfileStore(arguments.environment, saying: arguments.terminal) else {
            throw UsageError("Profiles cannot be stored: neither XDG_CONFIG_HOME nor HOME is set.")
        }
        let name = try access.profileName
        let id = arguments[clientID] ?? arguments.environment[clientIDName].flatMap { $0.isEmpty ? nil : $0 }
        func refuse(_ options: [any AnyOption], _ use: String) throws {
            guard let option = options.first(where: arguments.has) else { return }
            throw UsageError("\(option.name) applies only to \(use).")
        }
        let service: Access.Service = arguments[isMyDataHelps] ? .mydatahelps : .exist
        func keep(
            _ person: String, at address: URL, isPasted: Bool = true, _ change: (inout Profile) -> Void
        ) throws {
            try confirm(person, at: address, service, name, store, arguments, isPasted: isPasted)
            try store.update(name, change)
            arguments.terminal.notify(
                "Signed in to \(service.title) as \(person). Stored in \(store.title(of: name)), accessible only to you."
            )
        }
        if service == .mydatahelps {
            try refuse([clientID, redirect, readOnly, password], "Exist")
            let credential = try participant(access)
            try keep(credential.participant, at: credential.address) { $0.mydatahelps = credential }
        } else {
            try id == nil
                ? refuse([redirect, readOnly], "signing in with the browser, which needs --client-id")
                : refuse([password], "signing in without --client-id")
            let credential = try id.map { try BrowserSignIn(access, clientID: $0).run() } ?? pasted(access)
            try keep(credential.username, at: credential.address, isPasted: id == nil) { $0.exist = credential }
        }
        if arguments.environment[service.tokenName] != nil {
            arguments.terminal.notify(
                "\(service.tokenName) is set in this environment, and takes precedence over the stored account.")
        }
        return .success
    }

    /// Asks the user to confirm the account before it is stored, and throws if they decline. The question is asked in
    /// two cases:
    ///
    /// - Another account is stored in the profile. Without a terminal, this method throws in this case.
    /// - The user signed in with the browser. Another user of this machine may have signed in there to an account of
    ///   their own.
    ///
    /// With `--yes`, or if the same account is stored already, nothing is asked.
    private static func confirm(
        _ person: String, at address: URL, _ service: Access.Service, _ name: String, _ store: ProfileStore,
        _ arguments: Arguments, isPasted: Bool
    ) throws {
        let profile = try store.load(name)
        if profile?.holds(person, at: address, service) == true { return }
        let stored = profile?.account(service)?.person
        guard !arguments[yes], stored != nil || !isPasted else { return }
        let account = "Signed in to \(service.title) as \(person)"
        let other = stored.map { ", in place of \($0)" } ?? ""
        switch arguments.terminal.confirm("\(account). Store this account\(other)?") {
        case true?: return
        case false?: throw Failure("Nothing was stored.")
        case nil:
            guard let stored else { return }
            throw Failure(
                "\(account), but \(store.title(of: name)) has the account of \(stored), so nothing was stored: pass "
                    + "--yes to replace it, or --profile to store both.")
        }
    }

    private static func pasted(_ access: Access) throws -> ExistCredential {
        let address = try Access.Service.exist.address(access.environment)
        func credential(_ token: String, _ kind: ExistCredential.Kind) throws -> ExistCredential {
            let pasted = Credential(authorizer: kind.authorizer(token), address: address, origin: .pasted)
            let user = try access.exist(pasted).client.user().wait().user
            return ExistCredential(
                address: address, username: user.username, kind: kind, token: ExistToken(accessToken: token))
        }
        if access.arguments[password] {
            let name = try access.terminal.ask("User name of Exist", isShown: true)
            let secret = try access.terminal.ask("Password of Exist")
            let token = ExistAPI.simpleToken(
                username: name, password: secret, baseURL: address, options: access.options(.exist))
            return try credential(token.wait(), .simple)
        }
        let token = try access.terminal.ask("Token of Exist", foundAt: Access.Service.exist.tokenOrigin)
        do {
            return try credential(token, .bearer)
        } catch let refusal as ExistError where refusal.kind == .unauthorized {
            // A token that was created with a password looks like a bearer token. So a token that is refused as a
            // bearer token is tried as a simple token, too.
            guard let simple = try? credential(token, .simple) else { throw refusal }
            return simple
        }
    }

    private static func participant(_ access: Access) throws -> ParticipantCredential {
        let address = try Access.Service.mydatahelps.address(access.environment)
        let token = try access.terminal.ask(
            "Token of MyDataHelps", foundAt: Access.Service.mydatahelps.tokenOrigin)
        let pasted = Credential(authorizer: .bearer(token), address: address, origin: .pasted)
        let participant = try access.participant(pasted).client.getParticipantInfo().wait()
        return ParticipantCredential(
            address: address, participant: participant.participantIdentifier, token: token)
    }
}
