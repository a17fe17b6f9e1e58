import Foundation

/// A Python process that decodes the same bytes. It gets them through a pipe, and measures its own CPU time.
final class Python {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    /// The libraries that Python can import: `json`, and those of `orjson`, `msgspec`, and `simdjson` that are
    /// installed.
    private(set) var libraries: [String] = []
    /// The path of the real Python executable. The command may only be a shim, which a profiler couldn't see through.
    private(set) var executable = ""

    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Scripts/decode.py").path

    /// Starts Python. Returns nil if there is no command with this name.
    init?(_ command: String) {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command, Self.script]
        process.standardInput = input
        process.standardOutput = output
        guard (try? process.run()) != nil, let line = try? line(), !line.isEmpty else { return nil }
        libraries = line.split(separator: " ").map(String.init)
        executable = libraries.removeFirst()
    }

    deinit { process.terminate() }

    func load(_ key: String, _ body: Data) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("load \(key) \(body.count)\n".utf8) + body)
    }

    /// Returns the CPU seconds of decoding once.
    func seconds(_ key: String, _ library: String, _ count: Int) throws -> Double {
        try input.fileHandleForWriting.write(contentsOf: Data("read \(key) \(library) \(count)\n".utf8))
        guard let seconds = Double(try line()) else { throw NoAnswer() }
        return seconds / Double(count)
    }

    private func line() throws -> String {
        var bytes = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) { bytes += byte }
        return String(decoding: bytes, as: UTF8.self)
    }

    struct NoAnswer: Error {}
}
