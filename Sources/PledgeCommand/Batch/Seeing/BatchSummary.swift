import Foundation
import PledgeCoding

/// What a batch came to, for `--summary`.
struct BatchSummary: Encodable {
    var exit: Int32
    var began: String
    var seconds: Double
    var done: Int
    var failed: Int
    /// Accounts with an error, by its kind.
    var errors: [String: Int]
    /// Accounts that were begun or read, and have no line: they are for the next run.
    var left: Int
    var badLines: Int
    var duplicates: Int
    var requests: Int
    var retries: Int
    var limited: Int
    /// How often accounts gave up their place to wait, and for how many seconds in all.
    var waits: Int
    var waitSeconds: Double
    var bytes: Int
    /// Seconds from sending a request to its reply.
    var latency: Latency
    var outages: Int
    var outageSeconds: Double
    /// Services that did not come back.
    var down: [String]

    struct Latency: Encodable {
        var p50, p90, p99, longest: Double

        init(_ histogram: LatencyHistogram) {
            func rounded(_ seconds: Double) -> Double { (seconds * 1e4).rounded() / 1e4 }
            p50 = rounded(histogram.quantile(0.5))
            p90 = rounded(histogram.quantile(0.9))
            p99 = rounded(histogram.quantile(0.99))
            longest = rounded(histogram.longest)
        }
    }

    init(_ tally: Tally, began: Date, seconds: Double, badLines: Int, duplicates: Int, exit: Int32) {
        self.exit = exit
        self.began = Timestamp.text(began)
        self.seconds = (seconds * 1000).rounded() / 1000
        (done, failed, errors, left) = (tally.done, tally.failed, tally.kinds, tally.left)
        (self.badLines, self.duplicates) = (badLines, duplicates)
        (requests, retries, limited, bytes) = (tally.requests, tally.retries, tally.limited, tally.bytes)
        (waits, waitSeconds) = (tally.waits, (tally.waitSeconds * 1000).rounded() / 1000)
        latency = Latency(tally.latency)
        (outages, outageSeconds) = (tally.outages, (tally.outageSeconds * 1000).rounded() / 1000)
        down = tally.gone.map(\.rawValue)
    }

    var text: String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self) + "\n"
    }
}
