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
            options.isLogJSON ? .json : terminal.errorsAreTerminal ? .terminal : .log, width: terminal.errorWidth,
            clock: options.context.clock, write: { terminal.notify($0) })
    }

    /// Starts to show the progress at regular intervals, until ``end(_:)`` is called. Nothing is shown while `progress`
    /// returns nil.
    func begin(_ progress: @escaping @Sendable () -> LogEvent?) {
        guard !isQuiet else { return }
        state.withLock { state in
            guard !state.isOver else { return }
            state.cancelTick = clock.schedule(style.pace) { [weak self] in self?.tick(progress) }
        }
    }

    private func tick(_ progress: @escaping @Sendable () -> LogEvent?) {
        // The progress line is written while the lock is held. Otherwise, it could appear after the messages that `end`
        // writes.
        state.withLock { state in
            guard !state.isOver else { return }
            switch (style, progress()) {
            case (_, nil): break
            case (.terminal, let event?): write(ErrorLine(event.text, overwriting: true, staysOpen: true))
            case (.log, let event?): write(ErrorLine("\(Timestamp.text(clock.now())) \(event.text)"))
            case (.json, let event?): write(event)
            }
        }
        begin(progress)
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
