import Foundation

/// Searches the rows of a database for texts, and detects content that cannot be searched.
package enum TextSearch {
    /// The result of searching the rows of a database for texts.
    package struct Rows {
        /// For each text, the number of rows that contain it, by table and column, such as `account.name`.
        package var found: [[String: Int]]
        /// Sentences that say what could not be searched.
        package var unseen: [String] = []

        package init(of texts: [SoughtText]) { found = texts.map { _ in [:] } }
    }

    /// Searches all columns of all tables of a SQLite file, which any program may have created.
    package static func rows(_ texts: [SoughtText], in path: String) throws -> Rows {
        let database = try Database(reading: path)
        var result = Rows(of: texts)
        // The schema is searched, too, because the SQL in it may contain the texts.
        var tables = ["sqlite_master"]
        for table in try database.rows("SELECT name, sql FROM sqlite_master WHERE type = 'table'") {
            let isVirtual = table[1].text?.range(
                of: "^create\\s+virtual", options: [.regularExpression, .caseInsensitive])
            if isVirtual == nil {
                tables.append("\(table[0])")
            } else {
                result.unseen.append("The virtual table “\(table[0])” of \(path) was not searched.")
            }
        }
        for table in tables {
            do {
                let name = table.replacingOccurrences(of: "\"", with: "\"\"")
                let statement = try database.prepare("SELECT * FROM \"\(name)\"")
                let columns = statement.columns
                var compressed: Set<String> = []
                try statement.run([]) { row in
                    for (index, column) in columns.enumerated() {
                        let isBlob = row.isBlob(index)
                        if isBlob, OpaqueContent(UnsafeRawBufferPointer(row.bytes(index))) == .compressed {
                            compressed.insert(column)
                        }
                        for (number, text) in texts.enumerated() where text.isIn(row, index, isBlob: isBlob) {
                            result.found[number]["\(table).\(column)", default: 0] += 1
                        }
                    }
                }
                result.unseen += compressed.sorted().map {
                    "“\(table).\($0)” of \(path) has compressed data, which was not searched."
                }
            } catch let error as DatabaseError {
                result.unseen.append("The table “\(table)” cannot be read to its end. \(error)")
            }
        }
        return result
    }
}

extension SoughtText {
    fileprivate func isIn(_ row: Row, _ column: Int, isBlob: Bool) -> Bool {
        guard row.hasBytes(column) else {
            guard let number else { return false }
            return number == row[column] || number.real == row[column].real
        }
        let bytes = UnsafeRawBufferPointer(row.bytes(column))
        return isIn(bytes) || isBlob && forms.contains { Self.first($0, in: bytes) != nil }
    }
}
