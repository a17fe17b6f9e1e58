import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// A run of `pledge` in this process, on its own thread, with files for its three standard streams.
final class ToolRun: RunningTool, Sendable {
    private let signals = TestSignals()
    private let outputFile: UnnamedFile
    private let errorsFile: UnnamedFile
    private let status: Promise<Int32>

    /// - Parameters:
    ///   - input: The standard input, or nil for none.
    ///   - source: A file or a pipe to use as the standard input instead.
    init(
        _ arguments: [String], _ environment: [String: String] = [:], input: String? = nil,
        from source: FileHandle? = nil, output: FileHandle? = nil, errors: FileHandle? = nil, clock: Timekeeper = .noon,
        zone: TimeZone = .current
    ) throws {
        (outputFile, errorsFile) = (try UnnamedFile(), try UnnamedFile())
        let given =
            try source.map { dup($0.fileDescriptor) } ?? input.map { try UnnamedFile($0).copy() }
            ?? open("/dev/null", O_RDONLY | O_CLOEXEC)
        let streams = [
            given, output.map { dup($0.fileDescriptor) } ?? outputFile.copy(),
            errors.map { dup($0.fileDescriptor) } ?? errorsFile.copy(),
        ]
        var context = RunContext(environment: environment)
        (context.terminal.signals, context.clock, context.timeZone) = (signals.source, clock, zone)
        (context.terminal.input, context.terminal.output, context.terminal.errors) = (
            streams[0], streams[1], streams[2]
        )
        let tool = CommandLineTool(arguments: Tool.patient(arguments), context: context)
        let resolver: Resolver<Int32>
        (status, resolver) = Promise<Int32>.pending()
        // Commands block, so they need their own thread. Its stack has the size of a main thread's stack.
        let thread = Thread {
            let code = tool.run().rawValue
            Self.close(streams)
            resolver.fulfill(code)
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Closes the streams of a run. The stream of errors leads to `/dev/null` first, and is closed only after 50 more
    /// runs, because a request that ends late is still reported on it. If the stream were closed, its file descriptor
    /// could already belong to a file or a connection of another test.
    private static func close(_ streams: [Int32]) {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        dup2(nowhere, streams[2])
        let over = ended.withLock { ended in
            ended.append(streams[2])
            return ended.count > 50 ? [ended.removeFirst()] : []
        }
        (streams.prefix(2) + [nowhere] + over).forEach { Foundation.close($0) }
    }

    private static let ended = Locked<[Int32]>([])

    /// Interrupts the run, as a first signal does.
    func interrupt() { signals.send() }

    /// Waits for the end of the run, and returns the exit code.
    func end() async -> Int32 {
        // The promise is never rejected.
        let code = (try? await status.value) ?? -1
        #expect(signals.observers == 0, "Signals have not got their former effect again.")
        return code
    }

    var output: String { outputFile.text }
    var errors: String { errorsFile.text }
}

/// Signals that a test sends to one run.
final class TestSignals: Sendable {
    private let state = Locked<(handler: (@Sendable () -> Void)?, observers: Int)>((nil, 0))

    var observers: Int { state.withLock { $0.observers } }

    var source: Signals {
        Signals(
            observe: { [state] handle in
                state.withLock { $0 = (handle, $0.observers + 1) }
                return { state.withLock { $0 = (nil, $0.observers - 1) } }
            })
    }

    func send() { state.withLock { $0.handler.take() }?() }
}
