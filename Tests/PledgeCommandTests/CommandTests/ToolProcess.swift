import Foundation
import PledgeTestSupport

/// The built `pledge`, running, with files for its three streams. It can be killed or interrupted.
final class ToolProcess: Sendable {
    private let process = Process()
    private let folder: TemporaryFolder
    let exited = DispatchGroup()

    /// - Parameter input: The standard input, or nil for none.
    init(
        _ arguments: [String], _ environment: [String: String] = [:], input: String? = nil,
        from pipe: Pipe? = nil, output: FileHandle? = nil, errors given: FileHandle? = nil,
        executable: URL = Tool.executable
    ) throws {
        Tool.countStart()
        folder = try TemporaryFolder()
        process.executableURL = executable
        process.arguments = Tool.patient(arguments)
        process.environment = Tool.environment(environment)
        let errors = given == nil ? try FileHandle(forWritingTo: folder.file("err", holding: "")) : nil
        let out = output == nil ? try FileHandle(forWritingTo: folder.file("out", holding: "")) : nil
        let reading = try input.map { try FileHandle(forReadingFrom: folder.file("in", holding: $0)) }
        process.standardInput = pipe ?? reading ?? FileHandle.nullDevice
        process.standardOutput = output ?? out
        process.standardError = given ?? errors
        exited.enter()
        process.terminationHandler = { [exited] _ in exited.leave() }
        try process.run()
        // The process has its own; Foundation would keep ours open for as long as the tests run.
        for handle in [errors, out, reading] { try handle?.close() }
    }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Returns the exit code, or for a process that was killed, the negated signal.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            exited.notify(queue: .global()) { continuation.resume() }
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    var output: String { folder.text("out") }
    var errors: String { folder.text("err") }
}
