import Foundation

/// The pages of a database file and of its journals. The journals may contain former versions of pages.
///
/// A row that does not fit into a page continues on overflow pages. Each overflow page begins with the number of the
/// next overflow page. Therefore, a text of a deleted row may be split into pieces on several pages.
package struct DatabasePages {
    private struct Page {
        let file: Int
        let start: Int
    }

    private let files: [Data]
    private let size: Int
    private let usable: Int
    private var pages: [UInt32: [Page]] = [:]

    /// Finds the pages of a database and of its journals. Returns nil if `database` is not the content of a SQLite
    /// file.
    ///
    /// - Parameters:
    ///   - log: The content of the write-ahead log.
    ///   - journal: The content of the rollback journal.
    package init?(_ database: Data, log: Data = Data(), journal: Data = Data()) {
        guard database.count >= 100, database.starts(with: "SQLite format 3\0".utf8) else { return nil }
        files = [database, log, journal].map { Data($0) }
        let size = Self.number(database, 16, bytes: 2)
        self.size = size == 1 ? 65_536 : Int(size)
        usable = self.size - Int(database[database.startIndex + 20])
        guard self.size >= 512, usable >= 480 else { return nil }
        for start in stride(from: 0, to: database.count - self.size + 1, by: self.size) {
            pages[UInt32(start / self.size + 1), default: []].append(Page(file: 0, start: start))
        }
        addLog()
        addJournal()
    }

    /// Adds the pages in SQLite's write-ahead log. The log has a header of 32 bytes, followed by frames. A frame is a
    /// header of 24 bytes, which begins with the number of a page, followed by that page.
    private mutating func addLog() {
        var start = 32
        while start + 24 + size <= files[1].count {
            pages[Self.number(files[1], start), default: []].append(Page(file: 1, start: start + 24))
            start += 24 + size
        }
    }

    /// Adds the pages in a rollback journal. The journal consists of segments. A segment has a header that fills a disk
    /// sector, followed by pages. Each page comes after its number and before its checksum.
    private mutating func addJournal() {
        let file = files[2]
        var start = 0
        while start + 28 <= file.count {
            // SQLite may have overwritten the header with zeros to end a transaction. The pages after the header are
            // still there.
            let isWhole = file.dropFirst(start).starts(with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
            let sector = max(isWhole ? Int(Self.number(file, start + 20)) : 0, 512)
            let count = isWhole ? Int(Self.number(file, start + 8)) : 0
            var next = start + sector
            var read = 0
            while next + 8 + size <= file.count, count == 0 || read < count {
                pages[Self.number(file, next), default: []].append(Page(file: 2, start: next + 4))
                next = next + 8 + size
                read = read + 1
            }
            start = (next + sector - 1) / sector * sector
        }
    }

    private static func number(_ file: Data, _ start: Int, bytes: Int = 4) -> UInt32 {
        file[(file.startIndex + start)..<(file.startIndex + start + bytes)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns whether a text begins on one page and continues on another page that the first page refers to.
    package func hasInPieces(_ text: SoughtText) -> Bool {
        // If a text in UTF-16 begins with a zero byte, only its other bytes are searched for. Database files are full
        // of zeros, so searching for a zero first would be slow.
        let forms = text.forms.map { $0[0] == 0 && $0.count > 2 ? (Array($0.dropFirst()), true) : ($0, false) }
        return pages.values.joined().contains { page in
            files[page.file].withUnsafeBytes { bytes in
                let content = UnsafeRawBufferPointer(rebasing: bytes[page.start..<page.start + usable])
                return forms.contains { begins($0, on: content, orIsWhole: $1) }
            }
        }
    }

    /// Returns whether a form of a text begins on a page and continues on other pages.
    ///
    /// - Parameter orIsWhole: Whether to return true also if the whole form is on the page. Pass true if the leading
    ///   zero of the text was left out, because that zero may be on another page.
    private func begins(_ form: [UInt8], on page: UnsafeRawBufferPointer, orIsWhole: Bool) -> Bool {
        guard let base = page.baseAddress else { return false }
        var start = 0
        while start < page.count, let found = memchr(base + start, Int32(form[0]), page.count - start) {
            let place = base.distance(to: found)
            start = place + 1
            let most = min(form.count, page.count - place)
            var length = 1
            while length < most, page[place + length] == form[length] { length += 1 }
            guard length < form.count else {
                if orIsWhole { return true }
                continue
            }
            // There are two places where the text may continue on another page. One is the end of an overflow page. The
            // number of the next page is then at the start of this overflow page.
            //
            // The other is the end of the first piece of a row. The number of the next page is then directly after that
            // piece. The first bytes of the number may look like the next bytes of the text, so shorter pieces are
            // tried, too.
            if place + length == page.count, continues(form, from: length, on: Self.number(page, 0)) { return true }
            for length in max(1, length - 3)...length where place + length + 4 <= page.count {
                if continues(form, from: length, on: Self.number(page, place + length)) { return true }
            }
        }
        return false
    }

    private func continues(_ form: [UInt8], from start: Int, on number: UInt32) -> Bool {
        pages[number, default: []].contains { page in
            let length = min(form.count - start, usable - 4)
            let next: UInt32? = files[page.file].withUnsafeBytes { bytes in
                let content = bytes[page.start..<page.start + usable]
                guard content.dropFirst(4).prefix(length).elementsEqual(form[start..<start + length]) else {
                    return nil
                }
                return Self.number(UnsafeRawBufferPointer(rebasing: content), 0)
            }
            guard let next else { return false }
            return start + length == form.count || next != number && continues(form, from: start + length, on: next)
        }
    }

    private static func number(_ page: UnsafeRawBufferPointer, _ start: Int) -> UInt32 {
        page[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
