import Foundation
import PledgeBatch
import PledgeCoding

/// The metrics of a run in Prometheus's text format, for a textfile collector.
///
/// Every series has the labels `command` and `shard`, so that the files of several runs don't collide. While a run is
/// in progress, most metrics keep the values of the last run that ended. Otherwise, every alarm would be reset when the
/// nightly run starts.
struct MetricsText {
    private let state: RunState
    private let earlier: EarlierMetrics
    private var lines: [String] = []

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// The services that have series. Services without accounts have series with the value 0, because an alarm can
    /// notice the first failure only if the series existed before.
    private static let services = AccountID.Service.allCases.map(\.rawValue)

    init(_ state: RunState, after earlier: EarlierMetrics, at date: Date) {
        self.state = state
        self.earlier = earlier
        let figures = state.figures
        let tally = { @Sendable in state.figures.tallies[$0] ?? BatchTally() }
        one("run_start_timestamp_seconds", "Unix time at which the run began.", Self.seconds(state.began))
        one(
            "run_end_timestamp_seconds", "Unix time at which the run ended; 0 if it is running or was killed.",
            state.ending.map { Self.seconds($0.date) } ?? 0)
        one("run_seconds", "Seconds since the run began.", state.seconds)
        one("last_update_seconds", "Unix time of this update.", Self.seconds(date))
        one("accounts_waiting", "Accounts waiting for a limit or a service.", Double(figures.waiting))
        if let left = figures.left { one("accounts_left", "Accounts not processed yet.", Double(left)) }
        each("service_up", "1, or 0 while a service is considered down.", as: "gauge", isLive: true) {
            figures.down.contains($0) ? 0 : 1
        }

        let exit = state.ending.map { [Row([:], Double($0.exit.rawValue))] } ?? []
        family("run_exit_code", "gauge", "Exit code of the last run that ended.", exit)
        last(
            "last_success_timestamp_seconds",
            "Unix time at which a run last came to its end, with or without failed accounts; 0 if "
                + "unknown.", isThis: state.cameToEnd)
        last(
            "last_complete_timestamp_seconds",
            "Unix time at which a run last ended without any failed account or list; 0 if unknown.",
            isThis: state.isComplete)
        each("accounts_done_total", "Accounts with a result.") { Double(tally($0).done) }
        counts("accounts_failed_total", "Accounts with an error, by kind of error.") { service in
            tally(service).errors.map { Row(["service": service, "kind": $0.key], Double($0.value)) }
        }
        counts("lists_failed_total", "Accounts with a list that failed, by list and kind of error.") { service in
            tally(service).lists.flatMap { list, kinds in
                kinds.map { Row(["service": service, "list": list, "kind": $0.key], Double($0.value)) }
            }
        }
        counts("items_unreadable_total", "Items that could not be read, by list.") { service in
            tally(service).unreadable.map { Row(["service": service, "list": $0.key], Double($0.value)) }
        }
        each("accounts_given_up_total", "Accounts given up without a result, for the next run.") {
            Double(tally($0).givenUp)
        }
        family(
            "lines_skipped_total", "counter", "Lines of the input that were skipped, by reason.",
            [
                Row(["reason": "bad"], Double(state.skipped.badLines)),
                Row(["reason": "duplicate"], Double(state.skipped.duplicates)),
            ])
        each("requests_total", "Requests.") { Double(tally($0).requests) }
        each("retries_total", "Repeated attempts of requests.") { Double(tally($0).retries) }
        each("limited_total", "Responses that required waiting for a limit.") { Double(tally($0).limited) }
        each("waits_total", "Times an account gave up its slot to wait.") { Double(tally($0).waits) }
        each("wait_seconds_total", "Seconds that accounts waited without a slot.") { tally($0).waitSeconds }
        each("received_bytes_total", "Bytes of responses.") { Double(tally($0).bytes) }
        each("outages_total", "Times a service was considered down.") { Double(tally($0).outages) }
        each("outage_seconds_total", "Seconds of outages that are over.") { tally($0).outageSeconds }
        family(
            "request_seconds", "summary", "Seconds from sending a request to its response.",
            Self.services.flatMap { service in
                let latency = tally(service).latency
                let shares = latency.count > 0 ? [0.5, 0.9, 0.99] : []
                return shares.map { Row(["service": service, "quantile": "\($0)"], latency.quantile($0)) } + [
                    Row(["service": service], latency.sum, "_sum"),
                    Row(["service": service], Double(latency.count), "_count"),
                ]
            })
    }

    /// Adds a family that has only one series. Its value is always that of the run in progress.
    private mutating func one(_ name: String, _ help: String, _ value: Double) {
        family(name, "gauge", help, isLive: true, [Row([:], value)])
    }

    /// Adds a family whose value is the time at which the last run with a certain result, such as success, ended.
    ///
    /// If `isThis` is true, this run has that result, and the value is the time at which this run ended. Otherwise, the
    /// value is taken from the earlier metrics. If they have none, it is 0.
    private mutating func last(_ name: String, _ help: String, isThis: Bool) {
        let end = isThis ? state.ending.map { Self.seconds($0.date) } : nil
        one(name, help, end ?? earlier[name, state] ?? 0)
    }

    private mutating func each(
        _ name: String, _ help: String, as type: String = "counter", isLive: Bool = false, _ value: (String) -> Double
    ) {
        family(name, type, help, isLive: isLive, Self.services.map { Row(["service": $0], value($0)) })
    }

    /// Adds a family of counters that have further labels, such as the kind of an error.
    private mutating func counts(_ name: String, _ help: String, _ counts: (String) -> [Row]) {
        family(name, "counter", help, hasZeros: true, Self.services.flatMap(counts))
    }

    private struct Row {
        let (labels, value, suffix): (KeyValuePairs<String, String>, Double, String)

        init(_ labels: KeyValuePairs<String, String>, _ value: Double, _ suffix: String = "") {
            self.labels = labels
            self.value = value
            self.suffix = suffix
        }
    }

    /// Adds a family: a metric with its help text and all of its series. The help text must be the same in every file,
    /// because a collector that reads several files treats a difference as an error.
    ///
    /// - Parameters:
    ///   - isLive: Whether the family always shows the run in progress. If not, it shows the last run that ended.
    ///   - hasZeros: Whether to write a 0 for each series that is in the earlier metrics but not in this run. Without
    ///     the 0, the series would disappear, which an alarm cannot notice.
    private mutating func family(
        _ name: String, _ type: String, _ help: String, isLive: Bool = false, hasZeros: Bool = false, _ rows: [Row]
    ) {
        var shown = earlier[family: name]
        if isLive || state.ending != nil {
            let ended = hasZeros ? shown.mapValues { _ in "0" } : [:]
            let current = rows.map { (Self.series(name + $0.suffix, of: state, $0.labels), $0.value.plainText) }
            shown = ended.merging(current) { $1 }
        }
        lines += ["# HELP pledge_\(name) \(help)", "# TYPE pledge_\(name) \(type)"]
        lines += shown.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    }

    static func series(
        _ name: String, of state: RunState, _ labels: KeyValuePairs<String, String> = [:]
    ) -> String {
        let all = [("command", state.command), ("shard", state.shard)] + labels.map { ($0.key, $0.value) }
        return "pledge_\(name){" + all.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            .replacingOccurrences(of: "\n", with: "\\n")
    }

    /// Returns the seconds since 1970, rounded to the millisecond.
    private static func seconds(_ date: Date) -> Double {
        NumberText.rounded(date.timeIntervalSince1970, decimals: 3)
    }
}
