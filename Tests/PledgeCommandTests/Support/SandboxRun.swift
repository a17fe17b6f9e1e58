import Foundation
import Testing

/// A run of `pledge sandbox` that is ready for requests. It ends when its standard input ends.
struct SandboxRun {
    struct Ready: Decodable {
        var accounts: Int
        var exist: URL
        var mydatahelps: URL
        var tokens: [String: String]
        var client: [String: String]
    }

    let run: ToolRun
    let ready: Ready
    private let input = Pipe()

    init(_ arguments: String...) throws {
        let output = Pipe()
        run = try ToolRun(
            ["sandbox"] + arguments, from: input.fileHandleForReading, output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        ready = try JSONDecoder().decode(Ready.self, from: output.fileHandleForReading.availableData)
    }

    func end() async throws {
        try input.fileHandleForWriting.close()
        await run.end(0)
    }
}
