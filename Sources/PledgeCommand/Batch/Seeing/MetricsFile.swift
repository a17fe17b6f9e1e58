import Foundation
import Pledge

/// Metrics for Prometheus, in a file for a textfile collector: replaced as a whole every ten seconds, and at the end.
final class MetricsFile {
    private let queue = DispatchQueue(label: "pledge.metrics")
    private let timer: any DispatchSourceTimer
    private let write: @Sendable () throws -> Void

    /// Checks that the file can be written.
    init(_ path: String, figures: @escaping @Sendable () -> (Progress, Tally)) throws {
        let write = { @Sendable in
            let (progress, tally) = figures()
            // Metrics identify nobody, and their collector runs as another user.
            try WholeFile(path, mode: 0o644).write(Self.text(progress, tally, at: Date()))
        }
        try write()
        self.write = write
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 10, repeating: 10)
        // A full disk is reported at the end.
        timer.setEventHandler { try? write() }
        timer.activate()
    }

    deinit { timer.cancel() }

    func end() throws {
        timer.cancel()
        try queue.sync(execute: write)
    }

    private static func text(_ progress: Progress, _ tally: Tally, at date: Date) -> String {
        var lines: [String] = []
        func family(_ name: String, _ type: String, _ help: String, _ values: [(labels: String, value: Double)]) {
            lines += ["# HELP pledge_\(name) \(help)", "# TYPE pledge_\(name) \(type)"]
            lines += values.map { labels, value in
                "pledge_\(name)\(labels) \(Listing.Cell.plain(value))"
            }
        }
        func one(_ name: String, _ type: String, _ help: String, _ value: Double) {
            family(name, type, help, [("", value)])
        }
        one("accounts_done_total", "counter", "Accounts with a result.", Double(tally.done))
        family(
            "accounts_failed_total", "counter", "Accounts with an error, by its kind.",
            tally.errors.sorted { $0.key < $1.key }.map { ("{kind=\"\($0.key)\"}", Double($0.value)) })
        one("accounts_waiting", "gauge", "Accounts waiting for a limit or a service.", Double(progress.waiting))
        if let left = progress.left { one("accounts_left", "gauge", "Accounts not processed yet.", Double(left)) }
        one("requests_total", "counter", "Requests.", Double(tally.requests))
        one("retries_total", "counter", "Attempts of a request after its first.", Double(tally.retries))
        one("limited_total", "counter", "Responses that required waiting for a limit.", Double(tally.limited))
        one("waits_total", "counter", "Times an account gave up its place to wait.", Double(tally.waits))
        one("received_bytes_total", "counter", "Bytes of responses.", Double(tally.bytes))
        one("outages_total", "counter", "Times a service was considered down.", Double(tally.outages))
        family(
            "request_seconds", "summary", "Seconds from sending a request to its response.",
            [0.5, 0.9, 0.99].map { ("{quantile=\"\($0)\"}", tally.latency.quantile($0)) })
        lines.append("pledge_request_seconds_sum \(tally.latency.sum)")
        lines.append("pledge_request_seconds_count \(tally.latency.count)")
        one("run_seconds", "gauge", "Seconds since the run began.", progress.elapsed)
        one("last_update_seconds", "gauge", "Time of this update, in Unix time.", date.timeIntervalSince1970)
        return lines.joined(separator: "\n") + "\n"
    }
}
