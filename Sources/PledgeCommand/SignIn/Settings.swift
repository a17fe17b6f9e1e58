import Foundation
import PledgeFiles
import PledgeHTTP

/// Settings that every command has and few users need. They are environment variables, but are parsed in the same way
/// as options.
struct Settings: Sendable {
    static let tokenKind = Option<ExistCredential.Kind>.choice(
        "EXIST_TOKEN_KIND", ["bearer": .bearer, "simple": .simple], "the kind of EXIST_TOKEN")
    private static let transport = Option<StandardTransport.Kind>.choice(
        "PLEDGE_TRANSPORT", ["curl": .curl, "urlsession": .urlSession], "the HTTP client to use")
    private static let requests = Option.number("PLEDGE_MAX_REQUESTS", "N", 1...1_000_000_000, "requests")
    private static let size = Option.number("PLEDGE_MAX_SIZE", "MIB", 1...1 << 30, "the size of all responses")
    private static let items = Option.number("PLEDGE_MAX_ITEMS", "N", 1...1_000_000_000, "items in all lists")
    private static let time = Option.seconds("PLEDGE_MAX_TIME", 0.001...31_536_000, "the time, including waits")

    static let limits: [any AnyOption] = [requests, size, items, time]

    let plainHTTPHosts: Set<String>
    private let transport: StandardTransport.Kind
    private let trusted: URL?
    let tokenKind: ExistCredential.Kind
    private let limit: (requests: Int?, size: Int?, items: Int?, time: TimeInterval?)

    init(_ environment: [String: String]) throws {
        func value<Value>(_ option: Option<Value>) throws -> Value? {
            let text = environment[option.name, default: ""]
            return text.isEmpty ? nil : try option.read(text)
        }
        transport = try value(Self.transport) ?? .default
        plainHTTPHosts = Self.plainHTTPHosts(environment)
        if let wrong = plainHTTPHosts.first(where: { $0.contains { "/*:@".contains($0) } && !$0.hasPrefix("[") }) {
            throw UsageError(
                "PLEDGE_PLAIN_HTTP_HOSTS has “\(wrong)”: list host names only, without “http://” or a port, and IPv6 "
                    + "addresses in brackets.")
        }
        trusted = StandardTransport.trustedCertificates(in: environment)
        if let trusted {
            do throws(FileError) {
                try SystemFile(reading: trusted.path)?.refuseOtherWriters()
            } catch {
                throw UsageError("\(error)")
            }
        }
        tokenKind = try value(Self.tokenKind) ?? .bearer
        limit = try (value(Self.requests), value(Self.size), value(Self.items), value(Self.time))
    }

    /// Returns the hosts to which a token may be sent without encryption, over plain `http`.
    static func plainHTTPHosts(_ environment: [String: String]) -> Set<String> {
        Set(environment["PLEDGE_PLAIN_HTTP_HOSTS", default: ""].split { $0 == "," || $0.isWhitespace }.map(String.init))
    }

    func makeTransport(requestsInFlight: Int = StandardTransport.defaultRequestsInFlight) -> StandardTransport {
        StandardTransport(transport, requestsInFlight: requestsInFlight, trustedCertificates: trusted)
    }

    /// The budget for all requests that a command sends for a single account.
    var commandBudget: EndpointClient.Budget { budget(EndpointClient.Budget(seconds: 3600)) }

    /// The budget for each account of a batch, and for the first sync of an account. Such work may have to wait hours
    /// for the service's rate limit, so its time is unlimited by default.
    var accountBudget: EndpointClient.Budget {
        budget(EndpointClient.Budget(requests: 100_000, bytes: 4 << 30, items: 10_000_000, seconds: .infinity))
    }

    private func budget(_ defaults: EndpointClient.Budget) -> EndpointClient.Budget {
        EndpointClient.Budget(
            requests: limit.requests ?? defaults.requests, bytes: limit.size.map { $0 << 20 } ?? defaults.bytes,
            items: limit.items ?? defaults.items, seconds: limit.time ?? defaults.seconds)
    }

    /// Returns the name of the environment variable that raises a limit of the budget.
    static func name(of limit: BudgetExceeded.Limit) -> String {
        switch limit {
        case .requests: requests.name
        case .bytes: size.name
        case .items: items.name
        case .seconds: time.name
        }
    }
}
