import Foundation
import Pledge
import PledgeBatch
import PledgeFiles

/// Writes the file of `--metrics`, before anything else, so that a killed run is recorded as started and not ended.
final class RunReport: Sendable {
    private let metrics: String?
    private let clock: Timekeeper
    private let begun: TimeInterval
    private let state: RunState
    private let figures = Locked<@Sendable () -> (BatchProgress, BatchInput.Skipped)>({ (BatchProgress(), .init()) })
    private let ticking = Locked<(isOver: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))
    /// What the last run has left, and the file as it is now, which is locked until the end, so that no other run
    /// writes it meanwhile.
    private let kept = Locked<(earlier: EarlierMetrics, file: SystemFile?)?>(nil)
    // A queue of its own: disks may block, and the clock's queue has other alarms.
    private let queue = DispatchQueue(label: "pledge.report")

    /// The seconds between two updates of the metrics.
    static let pace: TimeInterval = 10

    init(_ command: String, _ options: BatchOptions) {
        (metrics, clock) = (options.metrics, options.context.clock)
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
            // A full disk is reported at the end.
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
        (state.ending, state.seconds) = (ending, clock.uptime() - begun)
        // Metrics contain no personal data, and their collector runs as another user.
        let file = try WholeFile(metrics, mode: 0o644)
        // At each write: this run's file may have been removed, and replaced by another run's.
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
