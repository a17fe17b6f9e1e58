import Foundation
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// The metrics of a run in Prometheus's text format, for a textfile collector.
///
/// Every series has the labels `command` and `shard`, so that the files of several runs never have the same one.
struct MetricsText {
    private typealias LabelPairs = KeyValuePairs<String, String>

    private let state: RunState
    private var lines: [String] = []

    var text: String { lines.joined(separator: "\n") + "\n" }

    private static let success = "last_success_timestamp_seconds"
    /// The services, of which those without accounts have zeros: an alarm needs a series before the first failure.
    private static let services = AccountID.Service.allCases.map(\.rawValue)

    init(_ state: RunState, at date: Date) {
        self.state = state
        let (figures, tally) = (state.figures, { @Sendable in state.figures.tallies[$0] ?? BatchTally() })
        one("run_start_timestamp_seconds", "Unix time at which the run began.", Self.seconds(state.began))
        one(
            "run_end_timestamp_seconds", "Unix time at which the run ended; 0 if it is running or was killed.",
            state.ending.map { Self.seconds($0.date) } ?? 0)
        if let ending = state.ending {
            one("run_exit_code", "Exit code of the run; none if it is running or was killed.", Double(ending.exit))
        }
        one(
            Self.success, "Unix time at which the last run with exit code 0 ended; 0 if none is known.",
            state.lastSuccess.map(Self.seconds) ?? 0)
        one("run_seconds", "Seconds since the run began.", state.seconds)
        one("last_update_seconds", "Unix time of this update.", Self.seconds(date))

        each("accounts_done_total", "Accounts with a result.") { Double(tally($0).done) }
        family("accounts_failed_total", "counter", "Accounts with an error, by its kind.") { add in
            for service in Self.services {
                for (kind, count) in tally(service).errors.sorted(by: { $0.key < $1.key }) {
                    add(["service": service, "kind": kind], Double(count))
                }
            }
        }
        family("lists_failed_total", "counter", "Accounts of which a list failed, by the list and its error.") { add in
            for service in Self.services {
                for (list, kinds) in tally(service).lists.sorted(by: { $0.key < $1.key }) {
                    for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) {
                        add(["service": service, "list": list, "kind": kind], Double(count))
                    }
                }
            }
        }
        family("items_unreadable_total", "counter", "Items that could not be read, by their list.") { add in
            for service in Self.services {
                for (list, count) in tally(service).unreadable.sorted(by: { $0.key < $1.key }) {
                    add(["service": service, "list": list], Double(count))
                }
            }
        }
        each("accounts_given_up_total", "Accounts given up without a result, for the next run.") {
            Double(tally($0).left)
        }
        one("accounts_waiting", "Accounts waiting for a limit or a service.", Double(figures.progress.waiting))
        if let left = figures.progress.left { one("accounts_left", "Accounts not processed yet.", Double(left)) }
        family("lines_skipped_total", "counter", "Lines of the input that were skipped, by the reason.") { add in
            add(["reason": "bad"], Double(state.skipped.badLines))
            add(["reason": "duplicate"], Double(state.skipped.duplicates))
        }
        each("requests_total", "Requests.") { Double(tally($0).requests) }
        each("retries_total", "Attempts of a request after its first.") { Double(tally($0).retries) }
        each("limited_total", "Responses that required waiting for a limit.") { Double(tally($0).limited) }
        each("waits_total", "Times an account gave up its slot to wait.") { Double(tally($0).waits) }
        each("wait_seconds_total", "Seconds that accounts waited without a slot.") { tally($0).waitSeconds }
        each("received_bytes_total", "Bytes of responses.") { Double(tally($0).bytes) }
        each("outages_total", "Times a service was considered down.") { Double(tally($0).outages) }
        each("outage_seconds_total", "Seconds of outages that are over.") { tally($0).outageSeconds }
        each("service_up", "1, or 0 while a service is considered down.", as: "gauge") {
            figures.down.contains($0) ? 0 : 1
        }
        let seconds = "request_seconds"
        family(seconds, "summary", "Seconds from sending a request to its response.") { add in
            for service in Self.services where tally(service).latency.count > 0 {
                for share in [0.5, 0.9, 0.99] {
                    add(["service": service, "quantile": "\(share)"], tally(service).latency.quantile(share))
                }
            }
        }
        for service in Self.services {
            let latency = tally(service).latency
            lines.append(series(seconds + "_sum", ["service": service], latency.sum))
            lines.append(series(seconds + "_count", ["service": service], Double(latency.count)))
        }
    }

    private mutating func one(_ name: String, _ help: String, _ value: Double) {
        family(name, "gauge", help) { $0([:], value) }
    }

    private mutating func each(
        _ name: String, _ help: String, as type: String = "counter", _ value: (String) -> Double
    ) {
        family(name, type, help) { add in
            for service in Self.services { add(["service": service], value(service)) }
        }
    }

    /// The words of a family are the same in every file: a collector that reads several reports a difference as an error.
    private mutating func family(
        _ name: String, _ type: String, _ help: String, _ fill: (_ add: (LabelPairs, Double) -> Void) -> Void
    ) {
        var added: [String] = []
        fill { labels, value in added.append(series(name, labels, value)) }
        lines += ["# HELP pledge_\(name) \(help)", "# TYPE pledge_\(name) \(type)"] + added
    }

    private func series(_ name: String, _ labels: LabelPairs, _ value: Double) -> String {
        Self.name(name, of: state, labels) + " " + value.plainText
    }

    private static func name(_ name: String, of state: RunState, _ labels: LabelPairs = [:]) -> String {
        let all = [("command", state.command), ("shard", state.shard)] + labels.map { ($0.key, $0.value) }
        return "pledge_\(name){" + all.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            .replacingOccurrences(of: "\n", with: "\\n")
    }

    /// To the millisecond.
    private static func seconds(_ date: Date) -> Double {
        NumberText.rounded(date.timeIntervalSince1970, decimals: 3)
    }

    /// Returns the time of the last success in the metrics of an earlier run of the same command and shard; nil if there
    /// are none, or none that can be read.
    static func lastSuccess(in path: String, of state: RunState) -> Date? {
        guard !OutputPath.isStream(path), let file = SystemFile(reading: path), file.isRegular,
            let bytes = try? file.read(1 << 20, at: 0)
        else { return nil }
        let name = name(success, of: state) + " "
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
            .flatMap { Double($0.dropFirst(name.count)) }
            .flatMap { $0 > 0 && $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
    }
}
