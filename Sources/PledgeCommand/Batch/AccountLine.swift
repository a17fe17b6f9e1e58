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
/// Instead of the token itself, `token` may be an object that says where to find the token. A line may also have an
/// `address`, the URL of the server to which the token is sent.
struct AccountLine: Sendable {
    var id: AccountID
    /// The base URL of the server to which the account's token is sent; nil if the line names no server.
    var address: URL?
    var kind: ExistCredential.Kind
    var token: TokenOrigin

    /// The maximum length of an account's name, in bytes. The length is limited because a resumed run reads the names
    /// in all earlier results. A longer name is a mistake anyway.
    static let longestName = 1024

    init(_ bytes: [UInt8], environment: [String: String]) throws(BadLine) {
        // Foundation's error message isn't used, because it may quote the line, and the line contains the token.
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

/// The reason why a line of input doesn't describe an account. The reason is a clause, such as “it is not a JSON object
/// on one line”. It never quotes the line, because the line may contain a token.
struct BadLine: Error {
    var problem: String

    init(_ problem: String) { self.problem = problem }
}

/// The identity of an account: its service, and the name that the input gives to the account.
struct AccountID: Hashable, Sendable {
    typealias Service = Access.Service

    var service: Service
    var account: String

    /// The name of the account in messages, such as `exist account “a-17”`.
    var title: String { "\(service.rawValue) account “\(account.onOneLine)”" }

    /// A hash that decides which shard contains the account. The remainder of the hash, divided by the number of
    /// shards, is the index of the shard. The hash is the same on every machine.
    ///
    /// The hash is a 64-bit FNV-1a hash whose upper half is folded into the lower half, because the low bits of FNV-1a
    /// are not uniform.
    var shardHash: UInt64 {
        let name = "\(service.rawValue)\0\(account)"
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash ^ (hash >> 32)
    }

    /// The hash by which sets and dictionaries identify the account. It takes 16 bytes, regardless of the name's
    /// length. With a million accounts, the probability that two have the same key is less than 10⁻²⁶.
    var key: HashKey { HashKey(service.rawValue, account) }
}

extension AccountID.Service {
    /// Returns the title of the service with this raw value, or the raw value itself if no service has it.
    static func title(of name: String) -> String { Self(rawValue: name)?.title ?? name }
}

/// An account that a batch is processing, with its tokens and clients. The clients send a request only when the batch's
/// schedule permits the request.
struct RunningAccount: Sendable {
    /// A closure that receives each item that could not be read, and the name of the list that contains the item.
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
        // The renewal of a stored account's token doesn't wait for this account's rate limits. The stored account is
        // locked during the renewal, and other programs wait for that lock.
        var renewing = own
        renewing.gate = nil
        // The budget covers all of the account's requests, including those with which a service account gets its
        // tokens. The renewal of a stored account's token isn't covered. It doesn't serve only this account: other
        // programs wait for it as well.
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

    /// Returns the service account that issues the participant's tokens, or nil if the tokens come from elsewhere. Some
    /// lists can only be read by a service account.
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

/// An error of an account, as the results contain it.
struct AccountError: Error {
    /// The kind of the error, as a code for programs. Both services have the same codes.
    var kind: String
    /// Whether the error may be temporary. If so, a later run tries the account again.
    var isPassing: Bool
    var status: Int?
    var section: String?
    var message: String

    /// The kinds of errors that always count as temporary, no matter what the response was.
    static let passingKinds = FailureKind.allCases.filter(\.isPassing).map(\.rawValue)

    /// The kinds of errors for which the service is to blame, rather than the account.
    static let serviceKinds = Set([FailureKind.serviceFault, .timedOut, .unreachable].map(\.rawValue))

    static let kinds = Set(FailureKind.allCases.filter { $0 != .cancelled }.map(\.rawValue)).union([
        "noToken", "identity",
    ])

    /// The kinds of errors with which the sync of an account can fail. A sync also compares the service's data with the
    /// stored data. So it has an additional kind, `removals`: the service no longer has an unusually large part of the
    /// stored data.
    static let syncKinds = kinds.union(["removals"])

    /// Parses the names of kinds, which are separated by commas. For the word `all`, returns a set that contains only
    /// this word. Throws a usage error for an unknown kind.
    static func kinds(_ text: String, among known: Set<String>) throws -> Set<String> {
        let words = text.split(separator: ",").map(String.init)
        if let unknown = words.first(where: { !known.contains($0) }), text != "all" {
            let known = known.sorted().joined(separator: ", ")
            throw UsageError("There is no kind of error “\(unknown)”. Choose from these: all, \(known).")
        }
        guard !words.isEmpty else { throw UsageError("--retry needs a kind of error, or all.") }
        return Set(words)
    }

    /// Creates the error of an account from any error.
    ///
    /// - Parameter isGarbled: Whether the last response was a truncated body or a web page, so that it cannot have come
    ///   from the service itself.
    init(_ error: any Error, section: String? = nil, isGarbled: Bool) {
        self.section = section
        let error = Self.source(of: error)
        kind = error is NoToken ? "noToken" : error.kindName
        status = error.failureStatus
        // An unreadable response counts as temporary only if its body was truncated, or if it was a web page.
        isPassing = Self.passingKinds.contains(kind) || kind == "unreadable" && isGarbled
        // The message contains no token: if the service's text repeats a token, the error leaves the text out.
        message = "\(error)"
    }

    /// Returns the token source's own error if the request wasn't sent because that source failed. Otherwise, returns
    /// the error unchanged.
    private static func source(of error: any Error) -> any Error {
        if case MyDataHelpsError.encodingError(let cause as NoToken) = error { return cause }
        guard case .credential(let cause) = error.exchangeError?.reason, !(cause is CredentialError) else {
            return error
        }
        return source(of: cause)
    }
}
