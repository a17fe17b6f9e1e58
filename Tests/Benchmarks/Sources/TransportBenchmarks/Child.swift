import Foundation

/// Another process, with which one talks in lines. It should end when its input does.
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

    /// The next line; nil when there will be none.
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

    /// Whether it ended well.
    func succeeded() -> Bool {
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
