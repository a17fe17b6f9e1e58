import Foundation
import Pledge
import PledgeBatch
import PledgeCoding

/// Shows the progress of a run on standard error. In a terminal, one line is updated in place; elsewhere, a timestamped
/// line is added every 30 s.
final class ProgressReporter: Sendable {
    enum Style: Sendable {
        case terminal, log, json

        /// The seconds between two updates.
        var pace: TimeInterval { self == .terminal ? 0.25 : 30 }
    }

    private let isQuiet: Bool
    private let style: Style
    /// The width at which messages are wrapped.
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

    /// Shows the progress, once there is any, until ``end(_:)``.
    func begin(_ progress: @escaping @Sendable () -> LogEvent?) {
        guard !isQuiet else { return }
        let cancel = clock.schedule(style.pace) { [weak self] in self?.tick(progress) }
        state.withLock { $0.cancelTick = cancel }
    }

    private func tick(_ progress: @escaping @Sendable () -> LogEvent?) {
        // The line is written under the lock, so that it can't follow the last one.
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

    /// Shows a message above the progress. In quiet mode, only messages that are shown `always` appear.
    func log(_ event: LogEvent, always: Bool = false) {
        if always || !isQuiet { state.withLock { _ in write(event) } }
    }

    /// Shows a message once per run, even if it applies to many accounts.
    func remark(_ text: String) {
        guard remarks.withLock({ $0.insert(text).inserted }) else { return }
        log(LogEvent(name: "remark", text: text), always: true)
    }

    /// Stops showing the progress and, unless in quiet mode, shows the outcome.
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

/// The state of a batch run, for `--metrics`.
struct RunState: Sendable {
    /// `export` or `sync`.
    let command: String
    /// The shard, such as `2/8`; `0/1` for all accounts.
    let shard: String
    let began: Date
    /// The time and the exit code at the end of the run; nil while it runs.
    var ending: (date: Date, exit: Int32)?
    /// The elapsed seconds, unaffected by changes of the system's date.
    var seconds = 0.0
    var figures = BatchProgress()
    var skipped = BatchInput.Skipped()

    /// Whether the run processed every account.
    var cameToEnd: Bool {
        guard let code = ending.flatMap({ ExitCode(rawValue: $0.exit) }) else { return false }
        return [.allDone, .someFailed, .partial].contains(code)
    }
    /// Whether every account is also up to date, and every line of the input was an account.
    var isComplete: Bool { ending?.exit == 0 && figures.tally.failed == 0 && skipped.badLines == 0 }
}
