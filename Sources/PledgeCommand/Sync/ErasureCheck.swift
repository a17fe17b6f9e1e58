import Foundation
import PledgeCoding
import PledgeFiles
import PledgeHistory

/// `pledge forget --verify`: searches for texts in the rows of a database, in the lines of results, and in other files
/// that belong to them. If a text is in no row and no line, the bytes of the files are searched for it.
struct ErasureCheck {
    private let texts: [SoughtText]
    private let results: [String]
    private let database: String?
    /// The temporary files beside the database and the results. They were left by runs that were killed.
    private let unfinished: [String]
    private let terminal: Terminal

    init(_ texts: [String], in results: [String], _ database: String?, _ terminal: Terminal) throws {
        self.results = results
        self.database = database
        self.terminal = terminal
        self.texts = texts.map { SoughtText($0) }
        let given = results + [database].compactMap(\.self)
        for path in given where !FileManager.default.fileExists(atPath: path) {
            throw UsageError("There is no \(path).")
        }
        unfinished = Set(
            try given.flatMap { path in
                let folder = URL(fileURLWithPath: try Self.target(of: path)).deletingLastPathComponent()
                return try OutputPath(path).temporaries.map { folder.appendingPathComponent($0).path }
            }
        ).sorted()
    }

    /// Returns the file that a link leads to. The other files that belong to it are beside that file. Returns the path
    /// itself if it isn't a link.
    private static func target(of path: String) throws -> String {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        return link == nil ? path : try OutputPath(path).resolved
    }

    /// The files that were searched, whether any text was found, and sentences about what could not be searched.
    private struct Report {
        var paths: [String] = []
        var isLeft = false
        var unseen: [String] = []
    }

    func run() throws -> ExitCode {
        var report = Report()
        if let database { try lookInto(database: database, &report) }
        let others = (results.map { $0 + RunRecord.suffix } + unfinished).filter(isThere)
        for path in results + others {
            let bytes = read(path, &report)
            if bytes.starts(with: "SQLite format 3\0".utf8) {
                try lookInto(database: path, &report)
            } else {
                report.paths.append(path)
                try lookInto(bytes, of: path, &report)
            }
        }
        for sentence in report.unseen { try terminal.write("\(sentence.onOneLine)\n") }
        guard !report.isLeft else { return .someFailed }
        let paths = report.paths.joined(separator: ", ")
        guard report.unseen.isEmpty else {
            try terminal.write(
                "None of these texts was found in \(paths). They may still be in what could not be searched.\n")
            return .failure
        }
        try terminal.write("None of these texts is left in \(paths).\n")
        return .success
    }

    private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func say(_ text: SoughtText, _ place: String, _ report: inout Report) throws {
        report.isLeft = true
        try terminal.write("“\(text.text.onOneLine)” is left in \(place).\n")
    }

    /// Returns the content of a file. If the file cannot be read, adds that to the report, and returns no bytes.
    private func read(_ path: String, _ report: inout Report) -> Data {
        // The file is first opened with a system call, because Foundation's error messages are not written for users.
        guard let file = SystemFile(reading: path) else {
            report.unseen.append("\(FileError(reading: path, errno))")
            return Data()
        }
        guard file.isRegular, let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        else {
            report.unseen.append(
                "\(path) cannot be read: it is \(file.isRegular ? "on a failing disk" : "not a file").")
            return Data()
        }
        return bytes
    }

    // MARK: Databases

    private func lookInto(database path: String, _ report: inout Report) throws {
        var rows = TextSearch.Rows(of: texts)
        do {
            rows = try TextSearch.rows(texts, in: path)
        } catch let error as DatabaseError {
            rows.unseen.append(
                error.kind == .notOurs
                    ? "\(path) cannot be searched: it is encrypted, or not a database." : "\(error)")
        }
        report.unseen += rows.unseen
        for (text, columns) in zip(texts, rows.found) where !columns.isEmpty {
            let places = columns.sorted { $0.key < $1.key }
                .map { "\($0.key) (\(NumberText.counted($0.value, "row")))" }
            try say(text, "\(path), in \(places.joined(separator: ", "))", &report)
        }
        // The files are read only after the database has been closed. When a process closes a file, the system releases
        // all locks of the process on that file, including the locks of SQLite.
        let target = try Self.target(of: path)
        let paths = [path] + ["-wal", "-journal", "-shm"].map { target + $0 }.filter(isThere)
        let files = Dictionary(uniqueKeysWithValues: paths.map { ($0, read($0, &report)) })
        report.paths += paths
        let pages = files[path].flatMap {
            DatabasePages($0, log: files[target + "-wal"] ?? Data(), journal: files[target + "-journal"] ?? Data())
        }
        for (text, columns) in zip(texts, rows.found) where columns.isEmpty {
            var isFound = false
            for path in paths {
                let places = places(of: text, in: files[path] ?? Data())
                guard let first = places.first else { continue }
                isFound = true
                try say(text, "\(path), outside of any row, \(Self.text(first, more: places.count - 1))", &report)
            }
            if !isFound, pages?.hasInPieces(text) == true {
                try say(text, "unused pages of \(path), or of its journal, in pieces", &report)
            }
        }
    }

    // MARK: Lines

    private func lookInto(_ bytes: Data, of path: String, _ report: inout Report) throws {
        if let reason = Self.opacity(of: bytes) {
            report.unseen.append("\(path) cannot be searched: \(reason).")
        }
        let lines = Self.inUTF8(bytes)
        for text in texts {
            var first = 0
            var more = 0
            var number = 0
            lines.withUnsafeBytes { lines in
                for line in lines.split(separator: 0x0A, omittingEmptySubsequences: false) {
                    number += 1
                    guard text.isIn(UnsafeRawBufferPointer(rebasing: line)) else { continue }
                    if first == 0 { first = number } else { more += 1 }
                }
            }
            if first > 0 {
                let rest = more > 0 ? ", and in \(NumberText.counted(more, "more line"))" : ""
                try say(text, "\(path), line \(first)\(rest)", &report)
            } else if case let places = places(of: text, in: bytes), let first = places.first {
                try say(text, "\(path), \(Self.text(first, more: places.count - 1))", &report)
            }
        }
    }

    /// Returns the reason why a file cannot be read as text; nil if it can. The file must not be a database.
    private static func opacity(of bytes: Data) -> String? {
        switch bytes.withUnsafeBytes({ OpaqueContent($0) }) {
        case .compressed?: return "it is compressed"
        case .encrypted?: return "it is encrypted"
        case nil: break
        }
        // Zeros at the start of the file are skipped, because a power failure can leave them.
        let start = inUTF8(Data(bytes.prefix(4096))).drop { $0 == 0 }
        let hasControls = start.contains { $0 < 0x20 && ![0, 0x09, 0x0A, 0x0C, 0x0D].contains($0) }
        // The last three bytes are not compared, because the prefix may end in the middle of a character.
        let isText = String(decoding: start, as: UTF8.self).utf8.starts(with: start.dropLast(3))
        return hasControls || !isText ? "it is neither text nor a database, so it may be compressed or encrypted" : nil
    }

    /// Returns a text in UTF-8, even if another program has written it in UTF-16.
    private static func inUTF8(_ bytes: Data) -> Data {
        let start = Array(bytes.prefix(4))
        let isLittle =
            start.starts(with: [0xFF, 0xFE]) || start.count == 4 && start[0] > 0 && start[1] == 0 && start[3] == 0
        let isBig =
            start.starts(with: [0xFE, 0xFF]) || start.count == 4 && start[1] > 0 && start[0] == 0 && start[2] == 0
        guard isLittle || isBig else { return bytes }
        let units = bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 2).map { index in
                let unit = bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
                return isLittle ? UInt16(littleEndian: unit) : UInt16(bigEndian: unit)
            }
        }
        return Data(String(decoding: units, as: UTF16.self).utf8)
    }

    // MARK: Bytes

    /// Returns the offsets at which a file contains a text in any of the forms in which the text may be stored.
    private func places(of text: SoughtText, in bytes: Data) -> [Int] {
        bytes.withUnsafeBytes { bytes in
            var places: Set<Int> = []
            for form in text.forms {
                var start = 0
                while let place = SoughtText.first(form, in: bytes, from: start) {
                    places.insert(place)
                    start = place + 1
                }
            }
            return places.sorted()
        }
    }

    private static func text(_ place: Int, more: Int) -> String {
        "at byte \(place)" + (more > 0 ? ", and at \(NumberText.grouped(more)) more" : "")
    }
}
