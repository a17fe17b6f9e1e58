import Foundation
import Pledge
import PledgeBatch
import PledgeCoding

/// Shows the progress of a batch on standard error: in place in a terminal, or as a time-stamped line now and then.
final class ProgressReporter: Sendable {
    enum Style: Sendable {
        case terminal, log, json

        /// The seconds between two lines.
        var pace: TimeInterval { self == .terminal ? 0.25 : 30 }
    }

    private let isQuiet: Bool
    private let style: Style
    /// The width to which messages are wrapped.
    private let width: Int?
    private let clock: Timekeeper
    private let write: @Sendable (ErrorLine) -> Void
    private let state = Locked<(isOver: Bool, cancelTick: (@Sendable () -> Void)?)>((false, nil))
    /// What was remarked.
    private let remarked = Locked<Set<String>>([])

    init(
        isQuiet: Bool, _ style: Style, width: Int? = nil, clock: Timekeeper,
        write: @escaping @Sendable (ErrorLine) -> Void
    ) {
        (self.isQuiet, self.style, self.width, self.clock, self.write) = (isQuiet, style, width, clock, write)
    }

    /// Reports on standard error.
    convenience init(_ options: BatchOptions) {
        let terminal = options.context.terminal
        self.init(
            isQuiet: options.arguments[BatchOptions.quiet],
            options.isLogJSON ? .json : terminal.tellsPerson ? .terminal : .log, width: terminal.noticeWidth,
            clock: options.context.clock, write: { terminal.tell($0) })
    }

    /// Shows the progress from now on, until ``end(_:)``.
    func begin(_ progress: @escaping @Sendable () -> BatchProgress) {
        guard !isQuiet else { return }
        let cancel = clock.schedule(style.pace) { [weak self] in self?.tick(progress) }
        state.withLock { $0.cancelTick = cancel }
    }

    private func tick(_ progress: @escaping @Sendable () -> BatchProgress) {
        // Under the lock, so that no line comes after the last one.
        let goesOn = state.withLock { state in
            guard !state.isOver else { return false }
            let event = LogEvent(progress())
            switch style {
            case .terminal: write(ErrorLine(event.words, overwriting: true, staysOpen: true))
            case .log: write(ErrorLine("\(Timestamp.text(clock.now())) \(event.words)"))
            case .json: tell(event)
            }
            return true
        }
        if goesOn { begin(progress) }
    }

    /// Shows a message above the progress; in quiet mode, only important ones.
    func say(_ event: LogEvent, always: Bool = false) {
        guard always || !isQuiet else { return }
        state.withLock { _ in tell(event) }
    }

    /// Says once in a run what may be true of many accounts.
    func remark(_ words: String) {
        if remarked.withLock({ $0.insert(words).inserted }) {
            say(LogEvent(name: "remark", words: words), always: true)
        }
    }

    /// Stops showing the progress and, unless in quiet mode, shows how the batch ended.
    func end(_ events: [LogEvent]) {
        state.withLock { state in
            state.isOver = true
            state.cancelTick.take()?()
            if !isQuiet { events.forEach(tell) }
        }
    }

    private func tell(_ event: LogEvent) {
        switch style {
        case .json: write(ErrorLine(event.json(at: clock.now()), isData: true))
        case .terminal: write(ErrorLine(event.words, overwriting: !isQuiet, width: width))
        case .log: write(ErrorLine(event.words))
        }
    }
}
