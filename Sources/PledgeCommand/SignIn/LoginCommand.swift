import ExistKit
import Foundation
import MyDataHelpsKit

enum LoginCommand {
    static let isMyDataHelps = Option.flag("--mydatahelps", "sign in to MyDataHelps, by pasting a token")
    static let clientID = Option<String>.text(
        "--client-id", "ID", "the app's client id", "sign in with OAuth2, as this client of yours (or EXIST_CLIENT_ID)")
    static let redirect = Option<URL>.value(
        "--redirect", "URL", "an http address on this machine such as http://localhost:8000/",
        "the redirect URI, exactly as registered for the client", defaultValue: "http://localhost:8000/"
    ) { text in
        guard let url = URL(string: text), url.scheme == "http", ["127.0.0.1", "localhost"].contains(url.host),
            url.query == nil, url.fragment == nil, UInt16(exactly: url.port ?? 80) != nil
        else { return nil }
        return url
    }
    static let readOnly = Option.flag("--read-only", "request only read access; “pledge set” then fails")
    static let tokenKind = Option<ExistCredential.Kind>.choice(
        "--token-kind", ["bearer": .bearer, "simple": .simple],
        "the kind of the pasted token: bearer, or a read-only one created with a password", defaultValue: "bearer")
    static let yes = Option.flag("--yes", "store the account without asking, even in place of another")

    static let command = Command(
        name: "login", summary: "sign in to an account, and store it for all other commands", part: .accounts,
        options: [
            isMyDataHelps, clientID, redirect, readOnly, yes, tokenKind, Access.profile, Access.timeout,
            Access.verbose,
        ],
        examples: [
            .init("pledge login", "asks for a token, which is not displayed"),
            .init("pledge login --token-kind simple < token.txt", "reads the token from a file"),
            .init(
                "EXIST_CLIENT_SECRET=… pledge login --client-id ID",
                "opens the browser and waits for your consent; the token is then renewed automatically"),
            .init("pledge login --mydatahelps --profile study", "a second account, stored under a name"),
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
                    The name of the account is shown. It is confirmed before it takes the place of another, and, in a
                    terminal, after signing in with the browser: no one else can then have you use an account of theirs.
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
        guard let store = ProfileStore(arguments.environment) else {
            throw UsageError("Profiles cannot be stored: neither XDG_CONFIG_HOME nor HOME is set.")
        }
        let name = try access.profileName
        let id = arguments[clientID] ?? arguments.environment["EXIST_CLIENT_ID"].flatMap { $0.isEmpty ? nil : $0 }
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
            arguments.terminal.tell(
                "Signed in to \(service.title) as \(person). Stored in \(store.title(of: name)), accessible only to you."
            )
        }
        if service == .mydatahelps {
            try refuse([clientID, redirect, readOnly, tokenKind], "Exist")
            let credential = try participant(access)
            try keep(credential.participant, at: credential.address) { $0.mydatahelps = credential }
        } else {
            try id == nil
                ? refuse([redirect, readOnly], "signing in with the browser, which needs --client-id")
                : refuse([tokenKind], "a pasted token")
            let credential = try id.map { try BrowserSignIn(access, clientID: $0).run() } ?? pasted(access)
            try keep(credential.username, at: credential.address, isPasted: id == nil) { $0.exist = credential }
        }
        if arguments.environment[service.tokenName] != nil {
            arguments.terminal.tell(
                "\(service.tokenName) is set in this environment, and takes precedence over the stored account.")
        }
        return 0
    }

    /// Throws if this is not the account that the user means: another is stored, or a user who can be asked does not
    /// confirm one from the browser, where a stranger may have approved access to an account of their own.
    private static func confirm(
        _ person: String, at address: URL, _ service: Access.Service, _ name: String, _ store: ProfileStore,
        _ arguments: Arguments, isPasted: Bool
    ) throws {
        let profile = try store.load(name)
        if profile?.holds(person, at: address, service) == true { return }
        let stored = profile?.person(service)
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
        let kind = access.arguments[tokenKind] ?? .bearer
        let token = try access.terminal.readSecret("Token of Exist", foundAt: Access.Service.exist.tokenOrigin)
        let options = access.options(.exist).with { $0.advise = access.adviceOnPasting(.exist) }
        let existAPI = ExistAPI(token: token, kind: kind.tokenKind, baseURL: address, options: options)
        let user = try existAPI.user().wait().user
        return ExistCredential(
            address: address, username: user.username, kind: kind, token: ExistToken(accessToken: token))
    }

    private static func participant(_ access: Access) throws -> ParticipantCredential {
        let address = try Access.Service.mydatahelps.address(access.environment)
        let token = try access.terminal.readSecret(
            "Token of MyDataHelps", foundAt: Access.Service.mydatahelps.tokenOrigin)
        let options = access.options(.mydatahelps).with { $0.advise = access.adviceOnPasting(.mydatahelps) }
        let participant = try access.session(token, address, options).getParticipantInfo().wait()
        return ParticipantCredential(
            address: address, participant: participant.participantIdentifier, token: token)
    }
}
