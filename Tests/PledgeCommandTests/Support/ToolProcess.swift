import Foundation
import PledgeTestSupport

/// The built `pledge`, running, with files for its three streams. It can be killed or interrupted.
final class ToolProcess: RunningTool, Sendable {
    private let program: RunningProgram
    private let (outputFile, errorsFile): (UnnamedFile, UnnamedFile)

    /// - Parameters:
    ///   - input: The standard input, or nil for none.
    ///   - source: A file or a pipe to use as the standard input instead.
    ///   - command: A command of a shell, which then becomes the tool.
    init(
        _ arguments: [String], _ environment: [String: String] = [:], input: String? = nil,
        from source: FileHandle? = nil, output: FileHandle? = nil, errors: FileHandle? = nil,
        executable: URL = Tool.executable, after command: String? = nil
    ) throws {
        if environment["LD_PRELOAD"] == nil { Tool.countStart() }
        (outputFile, errorsFile) = (try UnnamedFile(), try UnnamedFile())
        let reading = try input.map { try UnnamedFile($0) }
        let shell = command.map { ["/bin/sh", "-c", "\($0); exec \"$0\" \"$@\""] } ?? []
        program = try RunningProgram(
            shell + [executable.path] + Tool.patient(arguments), environment: Tool.environment(environment),
            (
                source?.fileDescriptor ?? reading?.descriptor, output?.fileDescriptor ?? outputFile.descriptor,
                errors?.fileDescriptor ?? errorsFile.descriptor
            ))
    }

    var isRunning: Bool { program.isRunning }

    func send(_ signal: Int32) { program.send(signal) }

    /// Returns the exit code, or for a process that was killed, the negated signal.
    func end() async -> Int32 { await program.end() }

    var output: String { outputFile.text }
    var errors: String { errorsFile.text }
}
