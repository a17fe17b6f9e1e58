import Foundation
import Pledge
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// Writes the file of `--metrics`. The file is first written before the run does anything else. So the metrics of a
/// killed run show that it started, and not that it ended.
final class RunReport: Sendable {
    private let metrics: String?
    private let clock: Timekeeper
    private let begun: TimeInterval
    private let state: RunState
    private let figures = Locked<@Sendable () -> (BatchProgress, BatchInput.Skipped)>({ (BatchProgress(), .init()) })
    private let ticking = Locked<(isOver: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))
    /// The metrics that the last run left, and the file as it is now. The file is locked until this run ends, so that
    /// no other run writes it meanwhile.
    private let kept = Locked<(earlier: EarlierMetrics, file: SystemFile?)?>(nil)
    // A queue of its own, because writing to a disk may block, and the clock's queue has other alarms.
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

    /// Performs a run and reports it from start to end; `work` returns the exit code.
    ///
    /// - Throws: Before the work, if the metrics cannot be written or are those of a run in progress.
    func during(_ work: (RunReport) throws -> Int32) throws -> Int32 {
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

    func follow(_ figures: @escaping @Sendable () -> (BatchProgress, BatchInput.Skipped)) {
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
            // If the disk is full, the last write, at the end of the run, reports it.
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

    private func end(_ code: Int32) throws {
        let date = clock.now()
        try queue.sync { try write(ending: (date, code)) }
    }

    private func write(ending: (Date, Int32)? = nil) throws {
        guard let metrics else { return }
        var state = state
        (state.figures, state.skipped) = figures.withLock { $0 }()
        state.ending = ending
        state.seconds = clock.uptime() - begun
        // Everyone may read the file: metrics contain no personal data, and their collector runs as another user.
        let file = try WholeFile(metrics, mode: 0o644)
        // Every write takes the lock, because this run's file may have been removed and replaced by another run's.
        guard file.lock(writtenBefore: kept.withLock { $0?.file }) else {
            throw FileError(
                "\(metrics) is being written by another run: wait until it ends, or give each command and each shard a "
                    + "file of its own.")
        }
        let earlier = kept.withLock { $0?.earlier } ?? EarlierMetrics(in: metrics, of: state)
        let written = try file.write(MetricsText(state, after: earlier, at: clock.now()).text)
        kept.withLock { $0 = (earlier, written) }
    }
}

/// An event of a run. It has a sentence for people, and a name and fields for programs.
struct LogEvent: Sendable {
    var name: String
    var text: String
    var facts: [String: JSONValue] = [:]

    /// A line of `--log json`.
    func json(at date: Date) -> String {
        var members = facts
        members["time"] = .string(Timestamp.text(date))
        members["event"] = .string(name)
        if !text.isEmpty { members["message"] = .string(text) }
        var json = JSONText()
        json.append(.object(members))
        return json.text
    }
}

extension JSONValue {
    /// Creates a number of seconds, rounded to the millisecond.
    fileprivate static func seconds(_ seconds: Double) -> JSONValue {
        let rounded = NumberText.rounded(seconds, decimals: 3)
        return Int(exactly: rounded).map { .integer($0) } ?? .number(rounded)
    }
}

extension LogEvent {
    init(_ progress: BatchProgress) {
        name = "progress"
        text = progress.description
        facts = [
            "done": .integer(progress.done), "failed": .integer(progress.failed),
            "waiting": .integer(progress.waiting), "seconds": .seconds(progress.elapsed),
        ]
        facts["left"] = progress.left.map { .integer($0) }
        facts["eta_seconds"] = progress.eta.map { .seconds($0) }
        facts["waiting_until"] = progress.wake.map { .string(Timestamp.text($0)) }
    }

    /// Creates an event about errors; nil if there are none.
    ///
    /// - Parameters:
    ///   - lists: The numbers of accounts with lists that failed while the others succeeded, by list and kind.
    ///   - next: What to do next.
    init?(
        errors kinds: [String: Int], lists: [String: [String: Int]] = [:], _ next: (_ kinds: [String]) -> String
    ) {
        guard !kinds.isEmpty else { return nil }
        let parts = lists.sorted { $0.key < $1.key }.map { "\($0.key) \(Self.text($0.value))" }
        var facts: [String: JSONValue] = kinds.mapValues { .integer($0) }
        if !lists.isEmpty { facts["lists"] = .object(lists.mapValues { .object($0.mapValues { .integer($0) }) }) }
        self.init(
            name: "errors",
            text: "Errors: \(Self.text(kinds))." + (parts.isEmpty ? "" : " Lists: \(parts.joined(separator: "; ")).")
                + next(kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)),
            facts: facts)
    }

    /// Creates an event about undecodable items, counted by list. The list `earlier` counts those of an earlier run.
    /// Returns nil if there are none.
    init?(unreadable lists: [String: Int]) {
        let count = lists.values.reduce(0, +)
        guard count > 0 else { return nil }
        let text = Self.text(lists).replacingOccurrences(of: " earlier", with: " of an earlier run")
        self.init(
            name: "unreadable",
            text:
                "\(NumberText.counted(count, "item")) could not be read, and \(count == 1 ? "is" : "are") missing: "
                + text + ".",
            facts: lists.mapValues { .integer($0) })
    }

    /// Returns `3 insight, 1 value`, in descending order.
    private static func text(_ counts: [String: Int]) -> String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            "\(NumberText.grouped($0.value)) \($0.key)"
        }.joined(separator: ", ")
    }

    /// - Parameters:
    ///   - rules: The limits of waiting.
    ///   - trouble: The server, and the reason why it is considered unavailable.
    init(_ notice: Schedule.Notice, _ rules: BatchRules, trouble: String? = nil) {
        let title = AccountID.Service.title(of: notice.service)
        facts["service"] = .string(notice.service)
        facts["trouble"] = trouble.map { .string($0) }
        let why = trouble.map { " (\($0))" } ?? ""
        switch notice {
        case .down:
            let longest = NumberText.duration(rules.outageWait)
            name = "outage"
            text = "\(title) is down\(why): only an occasional request is sent to it, for up to \(longest)."
        case .probe: (name, text) = ("probe", "Checking whether \(title) is back.")
        case .up(_, let seconds):
            name = "outage-over"
            text = "\(title) is back after \(NumberText.duration(seconds))."
            facts["seconds"] = .seconds(seconds)
        case .gone(_, let seconds):
            let time = NumberText.duration(seconds)
            name = "outage-given-up"
            text = "\(title) did not come back within \(time)\(why): its accounts are left for another run."
            facts["seconds"] = .seconds(seconds)
        }
    }
}
