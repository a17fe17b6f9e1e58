import ExistKit
extension BatchOptions {
    static let shard = Option<Shard>.value(
        "--shard", "I/N", "a part such as 0/8, counted from 0",
        "only part I of N, counted from 0; every machine divides the accounts alike"
    ) { Shard($0) }
    // How the batch works.
    static let inFlight = Option.number(
        "--in-flight", "N", 1...1000, "accounts processed at a time, not counting those that wait", defaultValue: "16")
    static let rate = Option.number(
        "--rate", "N", 1...1_000_000, "requests per hour for each token",
        defaultValue: "\(ExistAPI.limit) for Exist; MyDataHelps reports its limit")
    static let totalRate = Option.number(
        "--total-rate", "N", 1...100_000_000, "requests per hour for the whole process, evenly spaced",
        defaultValue: "unlimited")
    static let wait = Option.seconds(
        "--wait", 0...86_400, "how long an account may wait for rate limits in total", defaultValue: "3600")
    static let outageWait = Option.seconds(
        "--outage-wait", 0...86_400, "how long to wait for a service that is down", defaultValue: "900")

    // What is reported.
    static let quiet = Option.flag("--quiet", "print no progress and no summary")
    static let log = Option<Bool>.choice(
        "--log", ["text": false, "json": true], "print events on standard error as text or as lines of JSON",
        defaultValue: "text")
    static let summary = Option.file(
        "--summary", "write a summary as JSON at the end, and one with the state “running” at the start")
    static let metrics = Option.file(
        "--metrics",
        "write metrics for Prometheus's textfile collector, every ten seconds; a file of its own for each command and "
            + "shard, which keeps the time of the last success")
    static let acceptErrors = Option.flag(
        "--accept-errors", "exit with code 0 instead of 2, for platforms that treat any other code as a failure")
    static let acceptUnreadable = Option.flag(
        "--accept-unreadable", "exit with code 0 instead of 4 if only items could not be read, for those who know why")
    static let acceptEmpty = Option.flag(
        "--accept-empty", "accept input without any accounts, which otherwise is a mistake (exit code 64)")
}
