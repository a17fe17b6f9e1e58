import Foundation
import PledgeTestSupport

/// Python's `sqlite3` module, which reads a database independently of this package.
enum Python {
    /// Runs a script and returns its output, including errors.
    static func run(_ script: String, _ arguments: [String]) throws -> String {
        try Executable.run(["python3", "-c", script] + arguments).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns the rows of a query as JSON.
    static func query(_ sql: String, in file: String) throws -> String {
        try run(
            """
            import json, sqlite3, sys
            rows = sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()
            print(json.dumps(rows, ensure_ascii=False))
            """, [file, sql])
    }
}
