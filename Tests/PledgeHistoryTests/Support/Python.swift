import Foundation
import PledgeTestSupport

/// Python's `sqlite3` module, which reads a database independently of this package.
enum Python {
    /// Returns the rows of a query as JSON, or the errors.
    static func query(_ sql: String, in file: String) throws -> String {
        let script = """
            import json, sqlite3, sys
            rows = sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall()
            print(json.dumps(rows, ensure_ascii=False))
            """
        return try Executable.run(["python3", "-c", script, file, sql]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
