import Foundation

/// A child process that is controlled with lines of text. It should end when its input ends.
final class Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ executable: URL, _ arguments: [String]) throws {
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
    }

    /// Returns the next line, or nil at the end of the output.
    func readLine() -> String? {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), let byte = byte.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    func ask(_ line: String) -> String? {
        try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        return readLine()
    }

    /// Waits until the process ends, and returns whether its exit code is 0.
    func succeeded() -> Bool {
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
