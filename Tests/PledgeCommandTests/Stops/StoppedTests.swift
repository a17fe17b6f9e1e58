import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Stops commands that write files. A step is a system call that changes a file. There are four ways to stop a command
/// at a step: the process is killed before the call, the process is killed in the middle of a write, the disk is full
/// from then on, or the disk fails from then on. A few steps of each command show most mistakes; a long run tries all
/// steps.
@Suite("Commands that are stopped while they write files", .serialized, .stops)
final class StoppedTests: FolderSuite {
    @Test(
        "If a stopped command is repeated, its files are the same as without the stop, and no other file remains",
        arguments: WritingCommand.all)
    func stopped(_ command: WritingCommand) async throws {
        var random = Fuzzing.generator(command.name)
        let steps = folder.path("steps")
        let (whole, first, errors) = try await run(command, Stop(step: 0, way: .kill), log: steps)
        #expect(first == 0, "\(errors)")
        let count = folder.lines("steps").count
        try #require(count > 0)
        for stop in Stop.sample(count, using: &random) {
            let text: Comment = "\(stop), \(folder.lines("steps")[stop.step - 1])"
            let (content, status, errors) = try await run(command, stop)
            switch stop.way {
            case .kill, .half: #expect(status == -SIGKILL || status == 0, text)
            // The tool must neither crash nor fail without a message.
            case .ENOSPC, .EIO: #expect(status == 0 || status > 0 && !errors.isEmpty, "\(stop) \(status) \(errors)")
            }
            #expect(content.keys.sorted() == whole.keys.sorted(), text)
            for (name, lines) in content where lines != whole[name] { #expect(lines == whole[name], text) }
        }
    }

    /// Runs the command in a new folder, first with the stop and then without it.
    ///
    /// - Returns: What is in the folder after both runs, and the outcome of the run with the stop.
    private func run(
        _ command: WritingCommand, _ stop: Stop, log: String? = nil
    ) async throws -> (content: [String: [String]], status: Int32, errors: String) {
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes(isEmpty: true))
        defer { services.server.stop() }
        fill(services)
        let words = try await command.prepare(folder, services)
        let environment = command.isOwn ? services.ownEnvironment : WritingCommand.environment(folder, services)
        let stopping = stop.environment(in: folder.url.path, log: log, now: TestClock.noon)
        let disturbed = try ToolProcess(words, environment.adding(stopping), input: command.input)
        let code = await disturbed.end()
        if stop.step > 0 {
            let again = try ToolRun(words, environment, input: command.input)
            let status = await again.end()
            #expect(status == 0 || command.excuse.map(again.errors.contains) == true, "\(stop): \(again.errors)")
        }
        if let erased = command.erased.map({ Data($0.utf8) }) {
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
                let bytes = FileManager.default.contents(atPath: folder.path(name)) ?? Data()
                #expect(bytes.range(of: erased) == nil, "\(name) after \(stop)")
            }
        }
        return (try folder.content(hiding: services.server.baseURL.absoluteString), code, disturbed.errors)
    }

    private func fill(_ services: BothSandboxes) {
        services.exist.addAttribute("steps")
        // The values begin before the 14 days that the next sync reads again.
        for day in 0..<20 {
            services.exist.setValue(.integer(day * 100), of: "steps", on: "\(TestClock.today.advanced(by: -day))")
        }
        let day = Date(timeIntervalSince1970: 1_795_000_000)
        services.participants.putAnswer(1, result: 1, ["well"], inserted: day)
        services.participants.putPoint(1, namespace: "Fitbit", type: "Steps", value: "7", observed: day, modified: day)
        services.participants.rateLimit = 1_000_000
        _ = services.lines(1...4)
    }
}
