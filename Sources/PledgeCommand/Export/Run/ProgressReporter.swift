import Foundation
import Pledge

/// Tells standard error how far the export is: in place on a terminal, else a line every few seconds.
final class ProgressReporter: Sendable {
    private let isQuiet: Bool
    private let isTerminal: Bool
    private let timekeeper: Timekeeper
    private let progress: @Sendable () -> Progress
    private let write: @Sendable (ErrorLine) -> Void
    private let state = Locked<(isOver: Bool, callOff: (@Sendable () -> Void)?)>((false, nil))
    /// Between two lines, in seconds.
    static let pace = (terminal: 0.25, log: 5.0)

    init(
        isQuiet: Bool, isTerminal: Bool, timekeeper: Timekeeper = .live,
        write: @escaping @Sendable (ErrorLine) -> Void = { Terminal.tell($0) },
        progress: @escaping @Sendable () -> Progress
    ) {
        self.isQuiet = isQuiet
        self.isTerminal = isTerminal
        self.timekeeper = timekeeper
        self.write = write
        self.progress = progress
    }

    func begin() {
        guard !isQuiet else { return }
        let callOff = timekeeper.schedule(isTerminal ? Self.pace.terminal : Self.pace.log) { [weak self] in
            self?.tick()
        }
        state.withLock { $0.callOff = callOff }
    }

    private func tick() {
        // Under the lock, so that no line comes after the last one.
        let goesOn = state.withLock { state in
            guard !state.isOver else { return false }
            write(ErrorLine(progress().line, overwriting: isTerminal, staysOpen: isTerminal))
            return true
        }
        if goesOn { begin() }
    }

    /// A message above the progress.
    func say(_ message: String) {
        state.withLock { _ in
            write(ErrorLine(message, overwriting: isTerminal && !isQuiet))
        }
    }

    /// Ends it, with the summary unless it is to be quiet.
    func end(_ more: [String]) {
        state.withLock { state in
            state.isOver = true
            state.callOff?()
            state.callOff = nil
            guard !isQuiet else { return }
            let text = ([progress().summary] + more).joined(separator: " ")
            write(ErrorLine(text, overwriting: isTerminal))
        }
    }
}
