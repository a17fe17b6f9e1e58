import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeHistory

/// A command's access to an account: the environment's, a stored profile's, or the demo's.
struct Access: Sendable {
    static let profile = Option<String>.value(
        "--profile", "NAME", "a name of letters, digits, - and _", "the stored account to use",
        defaultValue: "“default”"
    ) { ProfileStore.isName($0) ? $0 : nil }
    static let demo = Option.flag("--demo", "use sample data of the built-in sandbox instead of an account")
    static let timeout = Option.seconds(
        "--timeout", 0.001...86_400, "the time limit for each request", defaultValue: "30")
    static let verbose = Option.flag(
        "--verbose", "print each request and its response on standard error: status, bytes, time, attempt")

    static let caFile = Option.file(
        "--ca-file", "a PEM file of certificates to trust in place of the system's, like SSL_CERT_FILE (with libcurl)")

    /// The options of whatever sends requests.
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

    /// Returns the selected profile; nil if none exists and none was requested, or if the environment specifies another
    /// address, to which its token must not be sent.
    ///
    /// - Parameter isNeeded: Whether an explicitly requested profile must have an account of this service.
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

    /// Throws if the environment specifies an address of the service without an account.
    func checkAddress(_ service: Service) throws {
        guard environment[service.addressName, default: ""].isEmpty else {
            throw UsageError(
                "\(service.addressName) is set, but \(service.tokenName) is not, and no account is stored for it: "
                    + "set the token, too, or unset the URL.")
        }
    }

    func options(_ service: Service) -> EndpointClient.Options {
        var options = service == .exist ? ExistAPI.defaultOptions : MyDataHelpsClient.defaultOptions
        let transport = settings.makeTransport()
        options.clock = arguments.context.clock
        options.transport =
            arguments[Self.verbose]
            ? RequestTrace(transport: transport, clock: options.clock) { [terminal] words in
                // Above progress that is updated in place.
                terminal.tell(ErrorLine(words, overwriting: terminal.tellsPerson))
            } : transport
        options.onWait =
            WaitNotice(service.title, options.clock) { [terminal] in
                terminal.tell(ErrorLine($0, overwriting: terminal.tellsPerson, width: terminal.noticeWidth ?? 80))
            }.note
        options.timeout = timeout
        (options.userAgent, options.plainHTTPHosts) = (Version.userAgent, settings.plainHTTPHosts)
        return options
    }
}
