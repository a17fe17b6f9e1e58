import Foundation
import Pledge
import PledgeBatch
import PledgeFiles

/// Writes the file of `--metrics`, before anything else, so that a killed run is recorded as started and not ended.
final class RunReport: Sendable {
    private let metrics: String?
    private let clock: Timekeeper
    private let begun: TimeInterval
    private let state: Locked<RunState>
    private let earlier: EarlierMetrics
    private let figures = Locked<@Sendable () -> (BatchProgress, BatchInput.Skipped)>({ (BatchProgress(), .init()) })
    private let ticking = Locked<(isOver: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))
    // A queue of its own: disks may block, and the clock's queue has other alarms.
    private let queue = DispatchQueue(label: "pledge.report")

    /// The seconds between two updates of the metrics.
    static let pace: TimeInterval = 10

    init(_ command: String, shard: Shard?, metrics: String?, clock: Timekeeper) {
        (self.metrics, self.clock) = (metrics, clock)
        begun = clock.uptime()
        let state = RunState(
            command: command, shard: shard.map { "\($0.index)/\($0.count)" } ?? "0/1", began: clock.now())
        earlier = EarlierMetrics(in: metrics, of: state)
        self.state = Locked(state)
    }

    convenience init(_ command: String, _ options: BatchOptions) {
        self.init(command, shard: options.shard, metrics: options.metrics, clock: options.context.clock)
    }

    /// Performs a run and reports it from start to end; `work` returns the exit code.
    func during(_ work: (RunReport) throws -> Int32) throws -> Int32 {
        let outcome = Result {
            try queue.sync { try write(current) }
            beginTicking()
            return try work(self)
        }
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
            let state = current
            // A full disk is reported at the end.
            if state.ending == nil { try? write(state) }
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
        try queue.sync {
            let isComplete = code == 0 && current.failures == 0
            state.withLock { $0.ending = .init(date: date, exit: code, isComplete: isComplete) }
            try write(current)
        }
    }

    private var current: RunState {
        let ((figures, skipped), seconds) = (figures.withLock { $0 }(), clock.uptime() - begun)
        return state.withLock { state in
            (state.figures, state.skipped, state.seconds) = (figures, skipped, seconds)
            return state
        }
    }

    private func write(_ state: RunState) throws {
        guard let metrics else { return }
        // Metrics contain no personal data, and their collector runs as another user.
        try WholeFile(metrics, mode: 0o644).write(MetricsText(state, after: earlier, at: clock.now()).text)
    }
}
