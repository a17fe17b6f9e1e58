import Foundation
import Pledge
import PledgeBatch
import PledgeCoding

/// Shows the progress of a run on standard error. In a terminal, a single line is updated in place. Elsewhere, a new
/// line with a timestamp is added every 30 seconds.
final class ProgressReporter: Sendable {
    enum Style: Sendable {
        case terminal, log, json

        /// The seconds between two updates.
        var pace: TimeInterval { self == .terminal ? 0.25 : 30 }
    }

    private let isQuiet: Bool
    private let style: Style
    /// The width at which messages are wrapped; nil if they are not wrapped.
    private let width: Int?
    private let clock: Timekeeper
    private let write: @Sendable (ErrorLine) -> Void
    private let state = Locked<(isOver: Bool, cancelTick: (@Sendable () -> Void)?)>((false, nil))
    private let remarks = Locked<Set<String>>([])

    init(
        isQuiet: Bool, _ style: Style, width: Int? = nil, clock: Timekeeper,
        write: @escaping @Sendable (ErrorLine) -> Void
    ) {
        self.isQuiet = isQuiet
        self.style = style
        self.width = width
        self.clock = clock
        self.write = write
    }

    convenience init(_ options: BatchOptions) {
        let terminal = options.context.terminal
        self.init(
            isQuiet: options.arguments[BatchOptions.quiet],
            options.isLogJSON ? .json : terminal.tellsPerson ? .terminal : .log, width: terminal.noticeWidth,
            clock: options.context.clock, write: { terminal.notify($0) })
    }

    /// Starts to show the progress at regular intervals, until ``end(_:)`` is called. Nothing is shown while `progress`
    /// returns nil.
    func begin(_ progress: @escaping @Sendable () -> LogEvent?) {
        guard !isQuiet else { return }
        let cancel = clock.schedule(style.pace) { [weak self] in self?.tick(progress) }
        state.withLock { $0.cancelTick = cancel }
    }

    private func tick(_ progress: @escaping @Sendable () -> LogEvent?) {
        // The progress line is written while the lock is held. Otherwise, it could appear after the messages that `end`
        // writes.
        let continues = state.withLock { state in
            if state.isOver { return false }
            switch (style, progress()) {
            case (_, nil): break
            case (.terminal, let event?): write(ErrorLine(event.text, overwriting: true, staysOpen: true))
            case (.log, let event?): write(ErrorLine("\(Timestamp.text(clock.now())) \(event.text)"))
            case (.json, let event?): write(event)
            }
            return true
        }
        if continues { begin(progress) }
    }

    /// Shows a message above the progress line. In quiet mode, the message is shown only if `always` is true.
    func log(_ event: LogEvent, always: Bool = false) {
        if always || !isQuiet { state.withLock { _ in write(event) } }
    }

    /// Shows a message only once per run, even if it concerns many accounts.
    func remark(_ text: String) {
        guard remarks.withLock({ $0.insert(text).inserted }) else { return }
        log(LogEvent(name: "remark", text: text), always: true)
    }

    /// Stops showing the progress. Then shows these final events, unless in quiet mode.
    func end(_ events: [LogEvent]) {
        state.withLock { state in
            state.isOver = true
            state.cancelTick.take()?()
            if !isQuiet { events.forEach(write) }
        }
    }

    private func write(_ event: LogEvent) {
        switch style {
        case .json: write(ErrorLine(event.json(at: clock.now()), isData: true))
        case .terminal: write(ErrorLine(event.text, overwriting: !isQuiet, width: width))
        case .log: write(ErrorLine(event.text))
        }
    }
}

/// An event of a run. It has a sentence for people, and a name and fields for programs.
struct LogEvent: Sendable {
    var name: String
    var text: String
    var facts: [String: JSONValue] = [:]

    /// Returns the event as a line of `--log json`.
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

    /// Creates an event that summarizes errors, or returns nil if there are none.
    ///
    /// - Parameters:
    ///   - kinds: The number of failed accounts for each kind of error.
    ///   - lists: For each list and kind of error, the number of accounts in which that list failed while other lists
    ///     succeeded.
    ///   - next: Returns a text about what to do next. It receives the kinds of errors, the most frequent first.
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

    /// Creates an event about items that could not be read, or returns nil if there are none.
    ///
    /// - Parameter lists: The number of these items in each list. The name `earlier` stands for the items that an
    ///   earlier run could not read.
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

    /// Returns the counts as a text such as `3 insight, 1 value`, with the largest count first.
    private static func text(_ counts: [String: Int]) -> String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            "\(NumberText.grouped($0.value)) \($0.key)"
        }.joined(separator: ", ")
    }

    /// Creates an event about the health of a service.
    ///
    /// - Parameters:
    ///   - rules: The rules of the batch, which say how long it waits for a service that is down.
    ///   - trouble: The server, and the reason why the service is considered down.
    init(_ notice: Schedule.Notice, _ rules: BatchRules, trouble: String? = nil) {
        let title = AccountID.Service.title(of: notice.service)
        facts["service"] = .string(notice.service)
        facts["trouble"] = trouble.map { .string($0) }
        let why = trouble.map { " (\($0))" } ?? ""
        switch notice {
        case .down:
            let longest = NumberText.duration(rules.outageWait)
            name = "outage"
            text = "\(title) is down\(why): for up to \(longest), only an occasional request is sent to it."
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
