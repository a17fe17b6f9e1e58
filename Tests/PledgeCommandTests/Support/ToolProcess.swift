import Foundation
import PledgeTestSupport

/// A process of the built `pledge`, with files for its three standard streams. A test can kill or interrupt it.
final class ToolProcess: RunningTool, Sendable {
    private let program: RunningProgram
    private let (outputFile, errorsFile): (UnnamedFile, UnnamedFile)

    /// - Parameters:
    ///   - input: The standard input, or nil for none.
    ///   - source: A file or a pipe to use as the standard input instead.
    ///   - command: A shell command that runs first. The shell then replaces itself by the tool.
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

    /// Waits for the end of the process. Returns its exit code, or the negated signal if a signal killed the process.
    func end() async -> Int32 { await program.end() }

    var output: String { outputFile.text }
    var errors: String { errorsFile.text }
}
