import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeHTTP
import PledgeHistory

/// A command's access to an account. The account comes from the environment, from a stored profile, or from the demo.
struct Access: Sendable {
    static let profile = Option<String>.value(
        "--profile", "NAME", "a name of letters, digits, - and _", "the stored account to use (default “default”)"
    ) { ProfileStore.isName($0) ? $0 : nil }
    static let demo = Option.flag("--demo", "use sample data of the built-in sandbox instead of an account")
    static let timeout = Option.seconds(
        "--timeout", 0.001...86_400, "the time limit for each request", defaultValue: "30")
    static let verbose = Option.flag(
        "--verbose", "print each request and its response on standard error: status, bytes, time, attempt")

    static let caFile = Option.file(
        "--ca-file", "a PEM file of certificates to trust in place of the system's, like SSL_CERT_FILE (with libcurl)")

    /// The options that are common to all commands that send requests.
    static let requests: [any AnyOption] = [timeout, verbose, caFile]
    static let options: [any AnyOption] = [profile, demo] + requests

    let arguments: Arguments
    let settings: Settings
    /// The time limit for each request, in seconds.
    let timeout: TimeInterval
    var environment: [String: String] { arguments.environment }
    var terminal: Terminal { arguments.terminal }

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        settings = try Settings(arguments.environment)
        timeout = try arguments.value(Self.timeout)
        if arguments[Self.demo], arguments.has(Self.profile) {
            throw UsageError("--profile selects a stored account, and --demo sample data: omit one.")
        }
    }

    typealias Service = History.Service

    var profileName: String {
        get throws {
            if let name = arguments[Self.profile] { return name }
            guard let name = environment["PLEDGE_PROFILE"], !name.isEmpty else { return "default" }
            guard ProfileStore.isName(name) else { throw UsageError("PLEDGE_PROFILE is not a valid profile name.") }
            return name
        }
    }

    /// Returns the selected profile, if it has an account of the service.
    ///
    /// Returns nil in two cases:
    /// - The environment specifies an address that isn't the account's. The account's token must not be sent there.
    /// - The profile has no account of the service, and the user didn't name the profile.
    ///
    /// If the user named the profile, and it has no account of the service, this method throws.
    ///
    /// - Parameter isNeeded: Whether to throw if the user named a profile that has no account of the service. If false,
    ///   this method returns nil in that case, too.
    func storedProfile(
        _ service: Service, isNeeded: Bool = true
    ) throws -> (name: String, profile: Profile, store: ProfileStore)? {
        let name = try profileName
        guard let store = ProfileStore(environment) else { return nil }
        let profile = try store.load(name)
        if let profile, let stored = profile.account(service)?.address {
            let given = try service.givenAddress(environment)
            return given == nil || given == stored ? (name, profile, store) : nil
        }
        guard !isNeeded || arguments[Self.profile] == nil && environment["PLEDGE_PROFILE", default: ""].isEmpty else {
            let near = Nearest.hint(to: name, among: try store.names.filter { $0 != name })
            throw UsageError(
                "The profile “\(name)” has no account of \(service.title): run “\(login(service))” to add one.\(near)")
        }
        return nil
    }

    /// Throws if the environment specifies an address of the service. Call this method if there is no account for that
    /// address. The user expects requests to that server, so the demo must not begin instead.
    func checkAddress(_ service: Service) throws {
        guard environment[service.addressName, default: ""].isEmpty else {
            throw UsageError(
                "\(service.addressName) is set, but \(service.tokenName) is not, and no account is stored for that "
                    + "URL: set the token as well, or unset the URL.")
        }
    }

    func options(_ service: Service) -> EndpointClient.Options {
        var options = service == .exist ? ExistAPI.defaultOptions : MyDataHelpsClient.defaultOptions
        let transport = settings.makeTransport()
        options.clock = arguments.context.clock
        options.transport =
            arguments[Self.verbose]
            ? RequestTrace(transport: transport, clock: options.clock) { [terminal] words in
                // If standard error is a terminal, it may show a progress line. The printed line then overwrites that
                // line.
                terminal.notify(ErrorLine(words, overwriting: terminal.errorsAreTerminal))
            } : transport
        options.onWait =
            WaitNotice(service.title, options.clock) { [terminal] in
                terminal.notify(
                    ErrorLine($0, overwriting: terminal.errorsAreTerminal, width: terminal.errorWidth ?? 80))
            }.announce
        options.timeout = timeout
        options.userAgent = Version.userAgent
        options.plainHTTPHosts = settings.plainHTTPHosts
        return options
    }
}

/// An account's token, together with the address of the only server to which the token may be sent.
struct Credential: Sendable {
    var authorizer: Authorizer
    var address: URL
    var origin: Origin
    var isDemo: Bool { if case .demo = origin { true } else { false } }

    /// Where the token comes from. The advice after a failed request depends on it.
    enum Origin: Sendable {
        /// The token is in the environment variable with this name.
        case variable(String)
        /// The token is in a stored profile. `login` is the command line that signs in to it again.
        case profile(login: String)
        /// The user has just pasted the token into `pledge login`.
        case pasted
        case demo
        /// The service account with this name requests the token.
        case serviceAccount(String)
        /// The token is in a line of a batch's input.
        case line(ExistCredential.Kind)
    }
}

struct Account<Client: Sendable>: Sendable {
    var client: Client
    var credential: Credential
    /// Warnings about items in the service's responses that could not be decoded.
    var warnings: Warnings

    var isDemo: Bool { credential.isDemo }
    /// The source of the data, as shown to the user: a host name or the built-in sandbox.
    var source: String { isDemo ? "the built-in sandbox" : credential.address.host ?? "" }
}

extension Access {
    typealias Adaptation = (inout EndpointClient.Options) -> Void

    func exist(_ credential: Credential, _ adapt: Adaptation = { _ in }) -> Account<ExistAPI> {
        account(.exist, credential, adapt) { options in
            ExistAPI(credential.authorizer, baseURL: credential.address, options: options)
        }
    }

    func participant(
        _ credential: Credential, language: String? = nil, _ adapt: Adaptation = { _ in }
    ) -> Account<ParticipantSession> {
        account(.mydatahelps, credential, adapt) { options in
            let client = MyDataHelpsClient(baseURL: credential.address, languageTag: language, options: options)
            return ParticipantSession(client: client, authorizer: credential.authorizer)
        }
    }

    /// Creates an account. Its client collects warnings about items that can't be decoded, and its errors contain this
    /// tool's advice.
    func account<Client>(
        _ service: Service, _ credential: Credential, _ adapt: Adaptation = { _ in },
        _ makeClient: (EndpointClient.Options) -> Client
    ) -> Account<Client> {
        let warnings = Warnings()
        let options = options(service).with { options in
            options.advise = { Advice.about($0, of: service, token: credential.origin) }
            options.meter = BudgetMeter(settings.commandBudget, clock: options.clock)
            // Exist tells when no requests are left, but not how long to wait. The limiter then holds requests back.
            if service == .exist {
                options.limiter = RateLimiter(limit: nil, clock: options.clock, waitingAtMost: .infinity)
            }
            options.onUnreadable = { list, item in warnings.add("In \(list), \(item).", isLost: !item.isKept) }
            adapt(&options)
        }
        return Account(client: makeClient(options), credential: credential, warnings: warnings)
    }

    /// Returns the credential from the environment or, if the environment has none, from the stored profile. Returns
    /// nil if neither has a credential.
    ///
    /// - Parameter isNeeded: Whether to throw if the user named a profile that has no credential for the service.
    func credential(_ service: Service, isNeeded: Bool = true) throws -> Credential? {
        if let given = try given(service) { return given }
        guard let (name, profile, store) = try storedProfile(service, isNeeded: isNeeded) else { return nil }
        return try credential(service, in: profile, named: name, store)
    }

    /// Returns the credential from a profile, or nil if the profile has no account of the service.
    func credential(
        _ service: Service, in profile: Profile, named name: String, _ store: ProfileStore
    ) throws -> Credential? {
        guard let account = profile.account(service) else { return nil }
        let kind = account.kind ?? .bearer
        var authorizer = kind.authorizer(account.token)
        if service == .exist, profile.exist?.isRenewable == true {
            let tokens = try ProfileTokens(of: .exist, profile: name, in: store, at: account.address, kind)
            authorizer = .source(try tokens.source(options(.exist)), scheme: kind.scheme)
        }
        return Credential(
            authorizer: authorizer, address: account.address,
            origin: .profile(login: login(service, profile: name)))
    }

    /// Returns the credential from the environment, or nil if the environment has no token.
    ///
    /// Throws if the variable for the token is empty. Otherwise, a scheduled job whose secret is missing would silently
    /// use a stored account, and collect another person's data.
    func given(_ service: Service) throws -> Credential? {
        guard let text = environment[service.tokenName] else { return nil }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else {
            throw UsageError(
                "\(service.tokenName) is set, but empty: set it to a token, or unset it to use a stored account.")
        }
        guard !token.contains(where: { $0.isWhitespace || "\"'".contains($0) }) else {
            throw UsageError(
                "\(service.tokenName) contains a space or a quotation mark: set it to the token alone, without “Bearer”."
            )
        }
        let address = try service.address(environment)
        if let name = arguments[Self.profile] {
            terminal.notify("\(service.tokenName) is set, and takes precedence over the profile “\(name)”.")
        }
        let kind = service == .exist ? settings.tokenKind : .bearer
        return Credential(authorizer: kind.authorizer(token), address: address, origin: .variable(service.tokenName))
    }
}

extension EndpointClient.Options {
    /// Changes the options for a job that has time to wait. Its requests wait for as long as the service demands. Exist
    /// doesn't say how long to wait, so `limiter` keeps the requests below Exist's limit per hour.
    mutating func waitForLimits(with limiter: RateLimiter, _ rules: BatchRules, _ settings: Settings) {
        retry = rules.retry
        self.limiter = limiter
        meter = BudgetMeter(settings.accountBudget, clock: clock)
        advise = { [advise] error in error.kind == .rateLimited ? Advice.longerWait : advise(error) }
    }
}

extension Access {
    /// Returns the command line that signs in to the service and stores the account in a profile.
    ///
    /// - Parameter name: The name of the profile; nil for the current profile.
    func login(_ service: Service, profile name: String? = nil) -> String {
        let profile = name ?? (try? profileName) ?? "default"
        return "pledge login" + (service == .exist ? "" : " --mydatahelps")
            + (profile == "default" ? "" : " --profile \(profile)")
    }
}

extension History.Service {
    var tokenName: String { self == .exist ? "EXIST_TOKEN" : "MYDATAHELPS_TOKEN" }
    var addressName: String { self == .exist ? "EXIST_BASE_URL" : "MYDATAHELPS_BASE_URL" }
    var defaultAddress: URL { self == .exist ? ExistAPI.serviceURL : MyDataHelpsClient.serviceURL }
    /// The web page that shows a token or explains how to get one.
    var tokenPage: String {
        self == .exist ? "https://exist.io/account/apps/" : "https://developer.mydatahelps.org/"
    }
    /// A sentence for the user that says where to get a token.
    var tokenOrigin: String {
        switch self {
        case .exist:
            "To get a token, open \(tokenPage), add a client, and copy the personal token from its page."
        case .mydatahelps:
            "A participant's token comes from the server of the project, for a few hours: \(tokenPage) explains how."
        }
    }
    var title: String { self == .exist ? "Exist" : "MyDataHelps" }

    func address(_ environment: [String: String]) throws(UsageError) -> URL {
        try givenAddress(environment) ?? defaultAddress
    }

    /// Returns the address of the service that the environment specifies, or nil if it specifies none.
    func givenAddress(_ environment: [String: String]) throws(UsageError) -> URL? {
        let text = environment[addressName, default: ""]
        return text.isEmpty ? nil : try address(text, from: addressName, environment)
    }

    /// Parses an address, and returns it with a slash at its end. Throws if the text isn't a valid address, or if a
    /// token must not be sent there. The error doesn't quote the text, but contains `name`, which tells where the text
    /// comes from.
    func address(
        _ text: String, from name: String, _ environment: [String: String]
    ) throws(UsageError) -> URL {
        guard let address = URL(string: text), ["http", "https"].contains(address.scheme), address.host != nil
        else {
            throw UsageError("\(name) is not a URL such as \(defaultAddress).")
        }
        guard address.user == nil, address.password == nil else {
            throw UsageError("\(name) contains a user name: remove it, since the token identifies the user.")
        }
        guard address.mayCarrySecrets(trusting: Settings.plainHTTPHosts(environment)) else {
            throw UsageError(
                "\(name) uses plain http, which would expose the token: use https, or, for a sandbox, name its host in "
                    + "PLEDGE_PLAIN_HTTP_HOSTS.")
        }
        guard !["/api/2", "/api/v1"].contains(where: address.path.hasSuffix) else {
            throw UsageError("\(name) must not end in \(address.path): use a URL such as \(defaultAddress).")
        }
        return address.asBase
    }
}
