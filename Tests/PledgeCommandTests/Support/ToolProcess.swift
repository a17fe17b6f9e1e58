import Foundation
import PledgeTestSupport

/// The built `pledge`, running, with files for its three streams. It can be killed or interrupted.
final class ToolProcess: RunningTool, Sendable {
    private let process = Process()
    private let folder: TemporaryFolder
    let exited = DispatchGroup()

    /// - Parameters:
    ///   - input: The standard input, or nil for none.
    ///   - source: A file or a pipe to use as the standard input instead.
    ///   - command: A command of a shell, which then becomes the tool.
    init(
        _ arguments: [String], _ environment: [String: String] = [:], input: String? = nil,
        from source: FileHandle? = nil, output: FileHandle? = nil, errors given: FileHandle? = nil,
        executable: URL = Tool.executable, after command: String? = nil
    ) throws {
        if environment["LD_PRELOAD"] == nil { Tool.countStart() }
        folder = try TemporaryFolder()
        let shell = command.map { ["-c", "\($0); exec \"$0\" \"$@\"", executable.path] }
        process.executableURL = shell == nil ? executable : URL(fileURLWithPath: "/bin/sh")
        process.arguments = (shell ?? []) + Tool.patient(arguments)
        process.environment = Tool.environment(environment)
        let errors = given == nil ? try FileHandle(forWritingTo: folder.file("err", holding: "")) : nil
        let out = output == nil ? try FileHandle(forWritingTo: folder.file("out", holding: "")) : nil
        let reading = try input.map { try FileHandle(forReadingFrom: folder.file("in", holding: $0)) }
        process.standardInput = source ?? reading ?? FileHandle.nullDevice
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
