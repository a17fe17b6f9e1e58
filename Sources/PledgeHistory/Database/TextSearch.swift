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
                        if isBlob, Opaque(UnsafeRawBufferPointer(row.bytes(index))) == .compressed {
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

    /// Content that cannot be searched for texts, because it is compressed or encrypted.
    package enum Opaque {
        case compressed, encrypted

        /// Detects compressed or encrypted content by its first bytes. Returns nil for all other content, such as text
        /// and SQLite files.
        package init?(_ bytes: UnsafeRawBufferPointer) {
            let archives: [[UInt8]] = [
                [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], Array("BZh".utf8),
                [0x50, 0x4B, 3, 4], [0x04, 0x22, 0x4D, 0x18], [0x37, 0x7A, 0xBC, 0xAF],
            ]
            let messages = ["-----BEGIN PGP", "-----BEGIN AGE", "age-encryption.org/", "Salted__"].map {
                Array($0.utf8)
            }
            if archives.contains(where: bytes.starts) {
                self = .compressed
            } else if messages.contains(where: bytes.starts) {
                self = .encrypted
            } else {
                return nil
            }
        }
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

/// A text to search for in stored data, and the forms in which the data may contain the text.
package struct SoughtText: Sendable {
    package let text: String
    /// The text in UTF-8, as it was given and in both Unicode normalizations. The normalizations encode letters with
    /// accents differently.
    private let plain: [[UInt8]]
    /// Whether the text has letters that the Unicode normalizations encode differently, such as letters with accents.
    private let hasAccents: Bool
    /// The byte sequences that the text may have in a file. The text may be in UTF-8 or UTF-16. It may be plain, or
    /// have the escapes of JSON, URLs, or HTML.
    package let forms: [[UInt8]]
    /// The number that the text spells; nil if the text isn't a number. A database may store such a text as a number.
    let number: SQLValue?

    package init(_ text: String) {
        self.text = text
        let given = [text, text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping]
        plain = Self.distinct(given.map { Array($0.utf8) })
        hasAccents = plain.count > 1
        let written = given.flatMap { [$0] + Self.escaped($0) }
        forms = Self.distinct(
            written.map { Array($0.utf8) }
                + written.flatMap { text in
                    [true, false].map { isLittle in
                        text.utf16.flatMap { unit in
                            isLittle ? [UInt8(unit & 0xFF), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                        }
                    }
                })
        let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        number = Int(text).map { .integer($0) } ?? (isDecimal ? Double(text).map { .real($0) } : nil)
    }

    private static func distinct(_ forms: [[UInt8]]) -> [[UInt8]] {
        forms.reduce(into: []) { if !$1.isEmpty, !$0.contains($1) { $0.append($1) } }
    }

    // MARK: Looking for it

    /// Returns whether stored bytes contain this text, either plain or with any mixture of escapes.
    package func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if plain.contains(where: { Self.first($0, in: bytes) != nil }) { return true }
        guard let address = bytes.baseAddress,
            hasAccents
                || [UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&")].contains(where: {
                    memchr(address, Int32($0), bytes.count) != nil
                })
        else { return false }
        return isBehindEscapes(Array(bytes), depth: 3)
    }

    /// Returns whether bytes contain the text after their escapes have been removed. Escapes are removed up to `depth`
    /// times, because a text may be escaped several times. An example is JSON in a string of other JSON.
    private func isBehindEscapes(_ bytes: [UInt8], depth: Int) -> Bool {
        (Self.decoders + (hasAccents ? [Self.decomposed] : [])).contains { decode in
            guard let decoded = decode(bytes) else { return false }
            let isFound = decoded.withUnsafeBytes { buffer in
                plain.contains { Self.first($0, in: buffer) != nil }
            }
            return isFound || depth > 1 && isBehindEscapes(decoded, depth: depth - 1)
        }
    }

    /// Returns the offset at which a form of a text first occurs in the bytes, at or after `start`.
    package static func first(_ form: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let base = bytes.baseAddress, !form.isEmpty else { return nil }
        // If a form in UTF-16 begins with a zero byte, the search is for its second byte. Files are full of zeros, so
        // searching for a zero would be slow.
        let lead = form[0] == 0 && form.count > 1 ? 1 : 0
        var start = start
        while start + form.count <= bytes.count,
            let next = memchr(base + start + lead, Int32(form[lead]), bytes.count - form.count - start + 1)
        {
            let place = base.distance(to: next) - lead
            if memcmp(base + place, form, form.count) == 0 { return place }
            start = place + 1
        }
        return nil
    }

    // MARK: Escapes

    /// Returns the text with escapes, once for each common way to escape it.
    private static func escaped(_ text: String) -> [String] {
        func replacing(_ replace: (Unicode.Scalar) -> String?) -> String {
            text.unicodeScalars.map { replace($0) ?? String($0) }.joined()
        }
        func units(_ scalar: Unicode.Scalar, _ format: String) -> String {
            String(scalar).utf16.map { String(format: format, $0) }.joined()
        }
        let short: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u{8}": "\\b", "\u{C}": "\\f",
        ]
        let html: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
        let json = ["\\u%04x", "\\u%04X"].flatMap { format in
            [false, true].flatMap { isASCII in
                ["/", "\\/"].map { slash in
                    replacing { scalar in
                        if scalar == "/" { return slash }
                        if let known = short[scalar] { return known }
                        return scalar.value < 0x20 || isASCII && !scalar.isASCII ? units(scalar, format) : nil
                    }
                }
            }
        }
        let unreserved = CharacterSet(charactersIn: "-._~").union(.init(charactersIn: "a"..."z"))
            .union(.init(charactersIn: "A"..."Z")).union(.init(charactersIn: "0"..."9"))
        let percent = ["%%%02X", "%%%02x"].map { format in
            replacing { scalar in
                unreserved.contains(scalar) ? nil : String(scalar).utf8.map { String(format: format, $0) }.joined()
            }
        }
        return json + percent
            + ["&#39;", "&#x27;", "&apos;"].map { quote in replacing { $0 == "'" ? quote : html[$0] } }
    }

    /// The functions that remove escapes. Each removes one kind of escapes from a text, and returns nil if the text has
    /// no escapes of that kind.
    private static let decoders: [@Sendable ([UInt8]) -> [UInt8]?] = [
        { decoded($0, at: "\\", json) }, { decoded($0, at: "%", percent) }, { decoded($0, at: "&", html) },
    ]

    /// Returns the text in the Unicode normalization in which accents are separate from their letters. ``plain``
    /// includes the sought text in that form. Returns nil if the normalization changes nothing.
    @Sendable private static func decomposed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return nil }
        let decomposed = Array(String(decoding: bytes, as: UTF8.self).decomposedStringWithCanonicalMapping.utf8)
        return decomposed == bytes ? nil : decomposed
    }

    private static func decoded(
        _ bytes: [UInt8], at sign: Unicode.Scalar, _ read: (ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)?
    ) -> [UInt8]? {
        let sign = UInt8(ascii: sign)
        guard var next = bytes.firstIndex(of: sign) else { return nil }
        var decoded = [UInt8]()
        var start = 0
        var isChanged = false
        decoded.reserveCapacity(bytes.count)
        while true {
            decoded += bytes[start..<next]
            if let escape = read(bytes[next...]) {
                decoded += escape.bytes
                start = next + escape.length
                isChanged = true
            } else {
                decoded.append(sign)
                start = next + 1
            }
            guard let following = bytes[start...].firstIndex(of: sign) else { break }
            next = following
        }
        return isChanged ? decoded + bytes[start...] : nil
    }

    private static func json(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        guard let letter = rest.dropFirst().first else { return nil }
        guard letter == UInt8(ascii: "u") else {
            let controls: [UInt8: UInt8] = [0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09, 0x62: 0x08, 0x66: 0x0C]
            return ([controls[letter] ?? letter], 2)
        }
        guard let unit = hexadecimal(rest.dropFirst(2).prefix(4), 4) else { return nil }
        let following = rest.dropFirst(6)
        if UTF16.isLeadSurrogate(UInt16(unit)), following.prefix(2).elementsEqual("\\u".utf8),
            let trail = hexadecimal(following.dropFirst(2).prefix(4), 4), UTF16.isTrailSurrogate(UInt16(trail))
        {
            return (Array(String(decoding: [UInt16(unit), UInt16(trail)], as: UTF16.self).utf8), 12)
        }
        return (Array(String(decoding: [UInt16(unit)], as: UTF16.self).utf8), 6)
    }

    private static func percent(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        hexadecimal(rest.dropFirst().prefix(2), 2).map { ([UInt8($0)], 3) }
    }

    private static func html(_ rest: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: rest[rest.startIndex + 1..<end], as: UTF8.self)
        let length = end - rest.startIndex + 1
        let names = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}"]
        if let known = names[name] { return (Array(known.utf8), length) }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let value =
            digits.hasPrefix("x") || digits.hasPrefix("X") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { (Array(String($0).utf8), length) }
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>, _ count: Int) -> UInt32? {
        guard digits.count == count, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else {
            return nil
        }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
