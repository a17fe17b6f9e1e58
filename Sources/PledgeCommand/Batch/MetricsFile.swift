import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// Writes the metrics of a run to the file of `--metrics`.
///
/// The file is written for the first time before the run does anything else. So if the run is killed, its metrics show
/// that it started, but not that it ended.
final class MetricsFile: Sendable {
    private let metrics: String?
    private let clock: Timekeeper
    private let begun: TimeInterval
    private let state: RunState
    private let figures = Locked<@Sendable () -> (BatchProgress, BatchInput.Skipped)>({ (BatchProgress(), .init()) })
    private let ticking = Locked<(isOver: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))
    /// The metrics that the previous run left, and the file as this run wrote it last. This run keeps the file locked
    /// until it ends, so that no other run writes to the file meanwhile.
    private let kept = Locked<(earlier: EarlierMetrics, file: SystemFile?)?>(nil)
    // The file is written on a queue of its own. Writing to a disk may block, which would delay other timers on the
    // clock's queue.
    private let queue = DispatchQueue(label: "pledge.report")

    /// The seconds between two updates of the metrics.
    static let pace: TimeInterval = 10

    init(_ command: String, _ options: BatchOptions) {
        metrics = options.metrics
        clock = options.context.clock
        begun = clock.uptime()
        state = RunState(
            command: command, shard: options.shard.map { "\($0.index)/\($0.count)" } ?? "0/1", began: clock.now())
    }

    /// Performs a run, and keeps its metrics up to date from start to end.
    ///
    /// - Parameter work: Performs the run, and returns the exit code.
    /// - Returns: The exit code.
    /// - Throws: The error of `work`, or an error if the metrics cannot be written. If this happens at the start, or if
    ///   another run in progress is writing the metrics, `work` is not called.
    func during(_ work: (MetricsFile) throws -> ExitCode) throws -> ExitCode {
        try queue.sync { try write() }
        beginTicking()
        let outcome = Result { try work(self) }
        endTicking()
        switch outcome {
        case .success(let code):
            try end(code)
            return code
        case .failure(let error):
            try? end(error.exitCode)
            throw error
        }
    }

    func observe(_ figures: @escaping @Sendable () -> (BatchProgress, BatchInput.Skipped)) {
        self.figures.withLock { $0 = figures }
    }

    private func beginTicking() {
        guard metrics != nil else { return }
        ticking.withLock { ticking in
            guard !ticking.isOver else { return }
            ticking.cancel = clock.schedule(Self.pace) { [weak self] in self?.tick() }
        }
    }

    private func tick() {
        queue.async { [self] in
            // An error, such as a full disk, is ignored here. The last write, at the end of the run, reports it.
            if !ticking.withLock(\.isOver) { try? write() }
        }
        beginTicking()
    }

    private func endTicking() {
        let cancel = ticking.withLock { ticking in
            ticking.isOver = true
            return ticking.cancel.take()
        }
        cancel?()
    }

    private func end(_ code: ExitCode) throws {
        let date = clock.now()
        try queue.sync { try write(ending: (date, code)) }
    }

    private func write(ending: (Date, ExitCode)? = nil) throws {
        guard let metrics else { return }
        var state = state
        (state.figures, state.skipped) = figures.withLock { $0 }()
        state.ending = ending
        state.seconds = clock.uptime() - begun
        // Every user may read the file, because the program that collects metrics runs as another user. Metrics contain
        // no personal data.
        let file = try WholeFile(metrics, mode: 0o644)
        // Each write checks the lock. If somebody removed this run's file, another run may have created and locked a
        // file at the same path.
        guard file.lock(writtenBefore: kept.withLock { $0?.file }) else {
            throw FileError(
                "\(metrics) is being written by another run: wait until that run ends, or use a separate file for each "
                    + "command and each shard.")
        }
        let earlier = kept.withLock { $0?.earlier } ?? EarlierMetrics(in: metrics, of: state)
        let written = try file.write(MetricsText(state, after: earlier, at: clock.now()).text)
        kept.withLock { $0 = (earlier, written) }
    }
}

/// The state of a batch run, as `--metrics` shows it.
struct RunState: Sendable {
    /// The name of the command, `export` or `sync`.
    let command: String
    /// The shard, such as `2/8`; `0/1` for all accounts.
    let shard: String
    let began: Date
    /// The time and the exit code at the end of the run; nil while it runs.
    var ending: (date: Date, exit: ExitCode)?
    /// The number of seconds since the run began. Changes of the system's date do not affect it.
    var seconds = 0.0
    var figures = BatchProgress()
    var skipped = BatchInput.Skipped()

    /// Whether the run ended after it had processed every account, even if some accounts failed.
    var cameToEnd: Bool {
        guard let code = ending?.exit else { return false }
        return [.success, .someFailed, .partial].contains(code)
    }
    /// Whether the run has ended without any failed account, and every line of the input described an account.
    var isComplete: Bool { ending?.exit == .success && figures.tally.failed == 0 && skipped.badLines == 0 }
}

/// The metrics that the previous run of the same command and shard left, whether or not that run was complete. The
/// values are stored by family and series.
struct EarlierMetrics: Sendable {
    private var families: [String: [String: String]] = [:]

    /// Reads the metrics from the file that this run is going to replace. If the file cannot be read, there are no
    /// earlier metrics.
    init(in path: String, of state: RunState) {
        guard !OutputPath.isStream(path), let file = SystemFile(reading: path), file.isRegular,
            let bytes = try? file.read(1 << 20, at: 0)
        else { return }
        let opening = MetricsText.series("", of: state).dropFirst("pledge_".count).dropLast()
        var name = ""
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP pledge_") {
                name = String(words[2].dropFirst("pledge_".count))
            } else if line.hasPrefix("pledge_\(name)"), [",", "}"].contains(where: { line.contains(opening + $0) }),
                let value = words.last, Double(value)?.isFinite == true
            {
                families[name, default: [:]][String(line.dropLast(value.count + 1))] = String(value)
            }
        }
    }

    subscript(family name: String) -> [String: String] { families[name] ?? [:] }

    /// Returns the value of the family's series that has no labels besides `command` and `shard`; nil if there is no
    /// such series.
    subscript(name: String, state: RunState) -> Double? {
        self[family: name][MetricsText.series(name, of: state)].flatMap { Double($0) }
    }
}
