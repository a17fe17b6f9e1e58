import Foundation

@testable import PledgeCommand

/// Runs the built `pledge`, as a person would.
enum Tool {
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
    }

    static let executable: URL = {
        // Products are beside the test bundle: on Linux, that is the running program; on a Mac, the program is xctest.
        #if canImport(Darwin)
            let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        #else
            // Foundation of Swift 6.0 cannot list the bundles.
            let bundle: URL? = nil
        #endif
        return (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appendingPathComponent("pledge")
    }()

    /// Returns the given variables with the sanitizer's options, which apply to the tool as well, and nothing else.
    static func environment(_ given: [String: String]) -> [String: String] {
        let sanitizer = ProcessInfo.processInfo.environment["ASAN_OPTIONS"]
        return given.merging(sanitizer.map { ["ASAN_OPTIONS": $0] } ?? [:]) { given, _ in given }
    }

    /// Adds a long timeout, so that no outcome depends on how busy the machine is, unless the test sets one or the
    /// command sends no requests.
    static func patient(_ arguments: [String]) -> [String] {
        let name = Access.timeout.name
        guard let command = try? CommandTable.find(arguments.first ?? ""), !arguments.contains(name),
            command.options.contains(where: { $0.name == name }),
            command.name != "report" || !arguments.contains("--database")
        else { return arguments }
        return [command.name, name, "600"] + arguments.dropFirst()
    }

    /// - Parameter limit: The limit that a shell's `ulimit` sets for the tool.
    static func run(
        _ arguments: [String], _ environment: [String: String] = [:], limit: String? = nil
    ) async throws -> Outcome {
        let process = Process()
        process.executableURL = limit == nil ? executable : URL(fileURLWithPath: "/bin/sh")
        let shell = limit.map { ["-c", "ulimit \($0); exec \"$0\" \"$@\"", executable.path] } ?? []
        process.arguments = shell + patient(arguments)
        process.environment = Self.environment(environment)
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        return try await withCheckedThrowingContinuation { continuation in
            // Blocking reads, so not on a thread of Swift's pool.
            DispatchQueue.global().async {
                do {
                    try process.run()
                    let quietly = DispatchQueue(label: "errors").asyncRead(errors)
                    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                    process.waitUntilExit()
                    continuation.resume(
                        returning: Outcome(status: process.terminationStatus, output: text, errors: quietly()))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}

extension DispatchQueue {
    /// Reads a pipe to its end on this queue. The closure waits for that.
    fileprivate func asyncRead(_ pipe: Pipe) -> () -> String {
        let done = DispatchGroup()
        let text = TextBox()
        async(group: done) {
            text.value = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        return {
            done.wait()
            return text.value
        }
    }
}

private final class TextBox: @unchecked Sendable {
    // Unchecked: written before the group is left, read after it was waited for.
    var value = ""
}
