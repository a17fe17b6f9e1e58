import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeHTTP
import PledgeHistory

/// A line of input, such as `{"service":"exist","account":"a-17","token":"…"}`.
///
/// The token may be an object that specifies where the token comes from. `"address":"https://…"` specifies the token's
/// server.
struct AccountLine: Sendable {
    var id: AccountID
    /// The base URL of the token's server, if the line has one.
    var address: URL?
    var kind: ExistCredential.Kind
    var token: TokenOrigin

    /// The maximum length of a name. A resumed run reads the name from the start of each result. Longer names are
    /// mistakes.
    static let longestName = 1024

    init(_ bytes: [UInt8], environment: [String: String]) throws(BadLine) {
        // Does not use Foundation's message, because it may quote the line, and thus the token.
        guard let json = try? JSONSerialization.jsonObject(with: Data(bytes)), let object = json as? [String: Any]
        else {
            throw BadLine("it is not a JSON object on one line")
        }
        guard let word = object["service"] as? String, let service = AccountID.Service(rawValue: word) else {
            throw BadLine("“service” is neither “exist” nor “mydatahelps”")
        }
        guard let account = object["account"] as? String, !account.isEmpty else {
            throw BadLine("“account” is missing, or not a string")
        }
        guard account.utf8.count <= Self.longestName else {
            throw BadLine("“account” is longer than \(Self.longestName) bytes")
        }
        id = AccountID(service: service, account: account)
        switch object["kind"] {
        case nil, is NSNull, "bearer" as String: kind = .bearer
        case "simple" as String where service == .exist: kind = .simple
        default: throw BadLine("“kind” must be “bearer” or, for Exist, “simple”")
        }
        switch object["address"] {
        case nil, is NSNull: address = nil
        case let text as String:
            do throws(UsageError) {
                address = try service.address(text, from: "“address”", environment)
            } catch {
                throw BadLine(String(error.description.dropLast()))
            }
        default: throw BadLine("“address” is not a string")
        }
        token = try TokenOrigin(object["token"], of: service, kind, environment)
    }
}

/// The reason why a line is not an account. It is a clause, and contains no text from the line.
struct BadLine: Error {
    var problem: String

    init(_ problem: String) { self.problem = problem }
}

/// The identity of an account: the service, and the name that the caller gave the account.
struct AccountID: Hashable, Sendable {
    typealias Service = Access.Service

    var service: Service
    var account: String

    /// The account's name in sentences.
    var title: String { "\(service.rawValue) account “\(account.onOneLine)”" }

    /// The number whose remainder is the account's shard, which is the same on every machine. It is a 64-bit FNV-1a
    /// hash. Its upper half is folded into the lower one, because the low bits of such a hash are not uniform.
    var shardHash: UInt64 {
        let name = "\(service.rawValue)\0\(account)"
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash ^ (hash >> 32)
    }

    /// The key of a finished account: 16 bytes, regardless of the name's length. Two of a million accounts collide with
    /// probability 10⁻²⁶.
    var key: HashKey { HashKey(service.rawValue, account) }
}

extension AccountID.Service {
    /// Returns the title of the service with this raw value.
    static func title(of name: String) -> String { Self(rawValue: name)?.title ?? name }
}

/// An account of a batch while its work runs, with its tokens and clients. The clients send requests when the batch's
/// schedule permits them.
struct RunningAccount: Sendable {
    /// Receives items that could not be read, with the name of their list.
    typealias Note = @Sendable (_ list: String, UnreadableItem) -> Void

    let line: AccountLine
    let tokens: any TokenSource
    let slot: BatchSlot
    private let address: URL
    private let options: EndpointClient.Options

    init(
        _ line: AccountLine, _ slot: BatchSlot, at address: URL, _ options: BatchOptions,
        onWait: (@Sendable (RequestWait) -> Void)?
    ) {
        var own = line.id.service == .exist ? ExistAPI.defaultOptions : MyDataHelpsClient.defaultOptions
        own.userAgent = Version.userAgent
        own.timeout = options.timeout
        own.onWait = onWait
        own.plainHTTPHosts = options.settings.plainHTTPHosts
        own = slot.options(own)
        // Renewing a stored account's token must not wait for this account's limits, because other programs wait for
        // the account's lock.
        var renewing = own
        renewing.gate = nil
        // The budget covers all of the account's requests, including those with which a service account gets its tokens.
        // It does not cover the renewal of a stored account's token, for the same reason as above.
        own.meter = BudgetMeter(options.settings.accountBudget, clock: own.clock)
        own.onUnreadable = { _, _ in }
        own.advise = { Advice.about($0, of: line.id.service, token: .line(line.kind)) }
        tokens = line.token.source({ [own] in Self.client(at: address, own) }, address, renewing)
        self.line = line
        self.slot = slot
        self.address = address
        self.options = own
    }

    func exist(_ note: @escaping Note = { _, _ in }) -> ExistAPI {
        ExistAPI(
            .source(tokens, scheme: line.kind.scheme), baseURL: address,
            options: options.with { $0.onUnreadable = note })
    }

    func participant(_ note: @escaping Note = { _, _ in }) -> ParticipantSession {
        ParticipantSession(
            client: Self.client(at: address, options.with { $0.onUnreadable = note }), tokens: tokens)
    }

    /// Returns the service account that issues the participant's tokens, because some lists can only be read by a
    /// service account. Returns nil if the tokens come from elsewhere.
    func serviceAccount(_ note: @escaping Note = { _, _ in }) -> ServiceAccount? {
        (tokens as? ServiceAccountTokens)?.account.with(
            Self.client(at: address, options.with { $0.onUnreadable = note }))
    }

    private static func client(at address: URL, _ options: EndpointClient.Options) -> MyDataHelpsClient {
        MyDataHelpsClient(baseURL: address, languageTag: "en", options: options)
    }

    func error(_ error: any Error, section: String? = nil) -> AccountError {
        AccountError(error, section: section, isGarbled: slot.isGarbled)
    }
}

/// The error of an account, as the results show it.
struct AccountError: Error {
    /// A code for programs; the same for both services.
    var kind: String
    /// Whether the error may be temporary, so that another run retries it.
    var isPassing: Bool
    var status: Int?
    var section: String?
    var message: String

    /// The kinds that are always temporary.
    static let passingKinds = FailureKind.allCases.filter(\.isPassing).map(\.rawValue)

    /// The kinds of errors for which the service is to blame.
    static let serviceKinds = Set([FailureKind.serviceFault, .timedOut, .unreachable].map(\.rawValue))

    static let kinds = Set(FailureKind.allCases.filter { $0 != .cancelled }.map(\.rawValue)).union([
        "noToken", "identity",
    ])

    /// The kinds of errors of a sync. A sync also compares with stored data, so it has one more kind.
    static let syncKinds = kinds.union(["removals"])

    /// Reads the names of kinds. The word `all` is returned as it is.
    static func kinds(_ text: String, among known: Set<String>) throws -> Set<String> {
        let words = text.split(separator: ",").map(String.init)
        if let unknown = words.first(where: { !known.contains($0) }), text != "all" {
            let known = known.sorted().joined(separator: ", ")
            throw UsageError("There is no kind of error “\(unknown)”. Choose from these: all, \(known).")
        }
        guard !words.isEmpty else { throw UsageError("--retry needs a kind of error, or all.") }
        return Set(words)
    }

    /// - Parameter isGarbled: Whether the last response came from something other than the service itself.
    init(_ error: any Error, section: String? = nil, isGarbled: Bool) {
        self.section = section
        let error = Self.source(of: error)
        kind = error is NoToken ? "noToken" : error.kindName
        status = error.failureStatus
        // A truncated body or a web page may be temporary, too.
        isPassing = Self.passingKinds.contains(kind) || kind == "unreadable" && isGarbled
        // The message contains no token, because a text that repeats a token was left out.
        message = "\(error)"
    }

    /// Returns the token source's error if it prevented the request.
    private static func source(of error: any Error) -> any Error {
        if case MyDataHelpsError.encodingError(let cause as NoToken) = error { return cause }
        guard case .credential(let cause) = error.exchangeError?.reason, !(cause is CredentialError) else {
            return error
        }
        return source(of: cause)
    }
}
