import Foundation

/// Python's `sqlite3` module: another program's eyes on a database.
enum Python {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Runs a script and gives what it prints, its errors included.
    static func run(_ script: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "")
        process.arguments = ["-c", script] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The rows of a query as JSON.
    static func query(_ sql: String, in file: String) throws -> String {
        try run(
            """
            import json, sqlite3, sys
            rows = sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()
            print(json.dumps(rows, ensure_ascii=False))
            """, [file, sql])
    }
}
