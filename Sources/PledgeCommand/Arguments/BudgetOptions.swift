import Foundation
import PledgeHTTP

/// The options for what a command may use over all of its requests.
struct BudgetOptions {
    let requests: Option<Int>
    let size: Option<Int>
    let items: Option<Int>
    let time: Option<TimeInterval>
    private let defaults: EndpointClient.Budget

    /// For a command that reads one account.
    static let command = BudgetOptions(EndpointClient.Budget(seconds: 3600), of: "the command")
    /// For each account of a batch, and for a first sync, which may wait for the service's limit for hours.
    static let account = BudgetOptions(
        EndpointClient.Budget(requests: 100_000, bytes: 4 << 30, items: 10_000_000, seconds: .infinity),
        of: "each account")

    private init(_ defaults: EndpointClient.Budget, of user: String) {
        self.defaults = defaults
        requests = .number(
            "--max-requests", "N", 1...1_000_000_000, "the requests of \(user), including retries",
            defaultValue: "\(defaults.requests)")
        size = .number(
            "--max-size", "MIB", 1...1 << 30, "the size of all responses to \(user), in MiB",
            defaultValue: "\(defaults.bytes >> 20)")
        items = .number(
            "--max-items", "N", 1...1_000_000_000, "the items in all lists of \(user)",
            defaultValue: "\(defaults.items)")
        time = .seconds(
            "--max-time", 0.001...31_536_000, "the time limit for \(user), including waits",
            defaultValue: defaults.seconds.isFinite ? defaults.seconds.plainText : "unlimited")
    }

    var all: [any AnyOption] { [requests, size, items, time] }

    func budget(_ arguments: Arguments) -> EndpointClient.Budget {
        EndpointClient.Budget(
            requests: arguments[requests] ?? defaults.requests,
            bytes: arguments[size].map { $0 << 20 } ?? defaults.bytes,
            items: arguments[items] ?? defaults.items, seconds: arguments[time] ?? defaults.seconds)
    }

    /// Returns which option allows more, if the error is that of a budget.
    static func advice(_ error: ExchangeError) -> String? {
        guard case .overBudget(let exceeded) = error.reason else { return nil }
        let option =
            switch exceeded.limit {
            case .requests: command.requests.name
            case .bytes: command.size.name
            case .items: command.items.name
            case .seconds: command.time.name
            }
        return "Request less, or allow more with \(option)."
    }
}
