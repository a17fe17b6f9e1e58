import Foundation
import Pledge
import PledgeBatch
import PledgeTestSupport
import Testing

/// Tests that stop a job at the steps in which it writes its results. The job runs in another process: a test starts
/// the test program again, and lets it run only the job.
@Suite("A batch that stores results, stopped at a step", .serialized, .stops)
struct StoppedBatchTests {
    private static let path = ProcessInfo.processInfo.environment["PLEDGE_STOPPED_BATCH"]

    private static func run(_ path: String) async throws -> BatchTally {
        let file = try ResultsFile<Int>(path)
        var rules = BatchRules()
        rules.inFlight = 1
        let batch = Batch(1...5, rules: rules, limit: { _ in BatchLimit(service: "none") }) { number, _ in
            Promise.value(number * number)
        }
        let tally = try await batch.run(storingIn: file) { "\($0)" }.value
        try await file.close().value
        return tally
    }

    @Test(
        "This is the job that the other test starts in another process",
        .enabled(if: path != nil, "it is started by the other test"))
    func job() async throws { _ = try await Self.run(try #require(Self.path)) }

    @Test("If a stopped job is repeated, its file is the same as without the stop, and no other file remains")
    func stopped() async throws {
        var random = Fuzzing.generator()
        let folder = try TemporaryFolder()
        let (whole, _) = try await disturbed(Stop(step: 0, way: .kill), log: folder.path("steps"))
        #expect(whole.components(separatedBy: "\n").count == 6)
        let steps = folder.lines("steps")
        for stop in Stop.sample(steps.count, using: &random) {
            let (text, status) = try await disturbed(stop)
            let words: Comment = "\(stop), \(steps[stop.step - 1])"
            #expect(text == whole, words)
            #expect(stop.way == .EIO || stop.way == .ENOSPC || status == -SIGKILL || status == 0, words)
        }
    }

    /// Runs the job in another process, in which the given stop occurs, and then runs the job again in this process.
    ///
    /// - Returns: The content of the file, and the exit code or the signal of the other process.
    private func disturbed(_ stop: Stop, log: String? = nil) async throws -> (text: String, status: Int32) {
        let folder = try TemporaryFolder()
        let stopping = stop.environment(in: folder.url.path, log: log)
        let status = try await RunningProgram(
            [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", "StoppedBatchTests/job"],
            environment: ProcessInfo.processInfo.environment.merging(stopping) { $1 }
                .merging(["PLEDGE_STOPPED_BATCH": folder.path("r.jsonl")]) { $1 }
        ).end()
        let tally = try await Self.run(folder.path("r.jsonl"))
        #expect(tally.failed == 0 && (stop.step > 0 || tally.done == 0), "\(stop)")
        #expect(try folder.names == ["r.jsonl"], "\(stop)")
        return (folder.text("r.jsonl"), status)
    }
}
