import ExistKit
import Foundation
import PledgeCoding

/// Writes JSON directly as bytes. It builds no tree and uses no encoder, because writing JSON is most of the work of a
/// batch.
struct JSONText {
    /// The bytes written so far, followed by spare capacity. The first `count` bytes are valid.
    ///
    /// Array's own append methods aren't used, because each call goes to the standard library. For pieces of a few
    /// bytes, that would cost five times as much.
    private(set) var storage: [UInt8] = []
    private(set) var count = 0
    private var needsComma = false

    var bytes: [UInt8] { Array(storage[..<count]) }
    var text: String { String(decoding: storage[..<count], as: UTF8.self) }

    /// Removes and returns the bytes written so far, without copying them.
    mutating func takeBytes() -> [UInt8] {
        storage.removeSubrange(count...)
        defer { (storage, count) = ([], 0) }
        return storage
    }

    /// Appends up to `more` bytes. The closure `write` receives a buffer for that many bytes, stores bytes at its
    /// beginning, and returns their number.
    mutating func append(atMost more: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        if storage.count - count < more { grow(more) }
        let start = count
        count += storage.withUnsafeMutableBufferPointer { all in
            write(UnsafeMutableBufferPointer(start: all.baseAddress.map { $0 + start }, count: more))
        }
    }

    private mutating func grow(_ more: Int) {
        let room = storage.count + max(more, 3 * storage.count, 4096)
        let old = storage
        // The spare capacity is counted as initialized, but isn't set to zero, because nothing reads it before it is
        // overwritten.
        storage = [UInt8](unsafeUninitializedCapacity: room) { new, initialized in
            _ = new.initialize(fromContentsOf: old[..<count])
            initialized = room
        }
    }

    mutating func object(_ name: StaticString? = nil, _ body: (inout JSONText) -> Void) {
        open("{", name)
        body(&self)
        close("}")
    }

    mutating func objects<Items: Sequence>(
        _ name: StaticString, _ items: Items, _ body: (inout JSONText, Items.Element) -> Void
    ) {
        list(name, items) { json, item in json.object { body(&$0, item) } }
    }

    mutating func texts(_ name: StaticString, _ items: some Sequence<String>) {
        list(name, items) { json, item in json.value { $0.append(quoted: item) } }
    }

    private mutating func list<Items: Sequence>(
        _ name: StaticString?, _ items: Items, _ body: (inout JSONText, Items.Element) -> Void
    ) {
        open("[", name)
        for item in items { body(&self, item) }
        close("]")
    }

    /// Opens an object or an array. The caller must close it with ``close(_:)``.
    mutating func open(_ bracket: Unicode.Scalar, _ name: StaticString? = nil) {
        if let name { key(name) } else { comma() }
        append(byte: UInt8(ascii: bracket))
        needsComma = false
    }

    mutating func close(_ bracket: Unicode.Scalar) {
        append(byte: UInt8(ascii: bracket))
        needsComma = true
    }

    /// Ends a line of JSON. No comma precedes the next line.
    mutating func endLine() {
        append(byte: 0x0A)
        needsComma = false
    }

    // Each of these methods writes a member of an object, or nothing if the value is nil.

    mutating func field(_ name: StaticString, _ value: String?) {
        if let value { member(name) { $0.append(quoted: value) } }
    }

    mutating func field(_ name: StaticString, _ value: Int?) {
        if let value { member(name) { $0.append(value) } }
    }

    mutating func field(_ name: StaticString, _ value: Double?) {
        if let value { member(name) { $0.append(json: value) } }
    }

    mutating func field(_ name: StaticString, _ value: Bool?) {
        if let value { member(name) { $0.append(value ? "true" : "false") } }
    }

    mutating func field(_ name: StaticString, _ value: ExistDay?) {
        if let value { member(name) { $0.append(value) } }
    }

    /// Writes a number that is given as its JSON text, so that all its digits are kept.
    mutating func field(_ name: StaticString, digits: String) { member(name) { $0.append(plain: digits) } }

    /// Writes a timestamp with the time zone offset that the service sent, or in UTC if the offset is nil.
    mutating func timestamp(_ name: StaticString, _ value: Date?, offset: Int? = nil) {
        field(name, value.map { Timestamp.text($0, offset: offset ?? 0) })
    }

    mutating func field(_ name: StaticString, _ values: [String: String]) {
        field(name, .object(values.mapValues { .string($0) }))
    }

    mutating func field(_ name: StaticString, _ json: JSONValue) {
        key(name)
        append(json)
    }

    mutating func field(_ name: StaticString, _ value: AttributeValue) {
        switch value {
        case .integer(let number): field(name, number)
        case .decimal(let number): field(name, number)
        case .text(let text): field(name, text)
        case .other(let json): field(name, json)
        }
    }

    private mutating func comma() {
        if needsComma { append(byte: UInt8(ascii: ",")) }
    }

    /// Appends a member's name and its colon. The name must be a literal that needs no escapes.
    private mutating func key(_ name: StaticString) {
        comma()
        append(byte: UInt8(ascii: "\""))
        append(name)
        append("\":")
        needsComma = false
    }

    private mutating func member(_ name: StaticString, _ write: (inout JSONText) -> Void) {
        key(name)
        value(write)
    }

    private mutating func value(_ write: (inout JSONText) -> Void) {
        comma()
        write(&self)
        needsComma = true
    }

    mutating func append(_ json: JSONValue) {
        switch json {
        case .null: value { $0.append("null") }
        case .bool(let flag): value { $0.append(flag ? "true" : "false") }
        case .integer(let number): value { $0.append(number) }
        case .number(let number): value { $0.append(json: number) }
        case .decimal(let number): value { $0.append(plain: "\(number)") }
        case .string(let text): value { $0.append(quoted: text) }
        case .array(let items): list(nil, items) { $0.append($1) }
        case .object(let members):
            object { json in
                for member in members.sorted(by: { ExactText($0.key) < ExactText($1.key) }) {
                    json.value { $0.append(quoted: member.key) }
                    json.append(byte: UInt8(ascii: ":"))
                    json.needsComma = false
                    json.append(member.value)
                }
            }
        }
    }
}

extension AttributeValue {
    /// The value as text for formats other than JSON: a number or a text as it is, and any other value as JSON.
    var plainText: String {
        switch self {
        case .other(.string(let text)): return text
        case .other(let value):
            var json = JSONText()
            json.append(value)
            return json.text
        default: return description
        }
    }
}

extension Double {
    var plainText: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }

    /// Parses a number in decimal notation. Returns nil for texts that Swift would accept but that aren't valid here,
    /// such as “inf”, “0x10”, “.5”, and “4.”.
    init?(decimal text: String) {
        let digits = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.allSatisfy({ "0123456789.+-eE".utf8.contains($0) }),
            digits.allSatisfy({ digits in digits.contains { $0 > 0x2F } }), let number = Double(text), number.isFinite
        else { return nil }
        self = number
    }
}

extension JSONText {
    mutating func append(byte: UInt8) {
        append(atMost: 1) { room in
            room[0] = byte
            return 1
        }
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        append(atMost: bytes.count) { room in
            UnsafeMutableRawBufferPointer(room).copyMemory(from: UnsafeRawBufferPointer(bytes))
            return bytes.count
        }
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends an integer digit by digit. This takes a quarter of the time of appending its `description`.
    mutating func append(_ number: Int) {
        append(atMost: 20) { room in
            var rest = number.magnitude
            var offset = 20
            repeat {
                offset -= 1
                room[offset] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                offset -= 1
                room[offset] = UInt8(ascii: "-")
            }
            for index in offset..<20 { room[index - offset] = room[index] }
            return 20 - offset
        }
    }

    /// Appends a number in the form in which Swift prints it.
    mutating func append(_ number: Double) {
        // Most numbers are whole. Appending them as integers takes a fifth of the time. Minus zero is excluded, because
        // Swift prints it as “-0.0”.
        if abs(number) < 1e15, let whole = Int(exactly: number), whole != 0 || number.sign == .plus {
            append(whole)
            append(".0")
        } else {
            number.write(to: &self)
        }
    }

    /// Appends a day in quotation marks, such as `"2026-11-20"`.
    mutating func append(_ day: ExistDay) {
        append(atMost: 12) { room in
            room[0] = UInt8(ascii: "\"")
            _ = DayNumber.write(day.number, to: UnsafeMutableBufferPointer(rebasing: room[1...10]))
            room[11] = UInt8(ascii: "\"")
            return 12
        }
    }

    mutating func append(plain text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }
}

extension JSONText: TextOutputStream {
    mutating func write(_ text: String) { append(plain: text) }
}

extension JSONText {
    mutating func append(json number: Double) {
        // JSON cannot represent infinity and NaN.
        if number.isFinite { append(number) } else { append("null") }
    }

    /// Appends a text in quotation marks.
    ///
    /// Besides the characters that JSON requires to be escaped, this method escapes characters that control terminals
    /// or editors, or that some programs treat as line breaks. A JSON parser reads the same text either way. The
    /// escapes make the output safe for `cat`, `grep`, and Python's `splitlines`.
    mutating func append(quoted text: String) {
        var utf8Text = text
        utf8Text.withUTF8 { utf8 in
            if utf8.isPlain { append(quotedPlain: utf8) } else { append(quotedEscaping: text, utf8) }
        }
    }

    private mutating func append(quotedPlain utf8: UnsafeBufferPointer<UInt8>) {
        append(atMost: utf8.count + 2) { room in
            room[0] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[1...])
                .copyMemory(from: UnsafeRawBufferPointer(utf8))
            room[utf8.count + 1] = UInt8(ascii: "\"")
            return utf8.count + 2
        }
    }

    /// Appends a text that needs escapes. Everything between two escapes is copied at once, which takes a fifth of the
    /// instructions of copying single characters.
    private mutating func append(quotedEscaping text: String, _ utf8: UnsafeBufferPointer<UInt8>) {
        append(byte: UInt8(ascii: "\""))
        var copied = 0
        var index = 0
        while index < utf8.count {
            let scalar: Unicode.Scalar =
                utf8[index] < 0x80
                ? Unicode.Scalar(utf8[index])
                : text.unicodeScalars[text.utf8.index(text.startIndex, offsetBy: index)]
            let next = index + UTF8.width(scalar)
            if let escape = scalar.jsonEscape {
                append(UnsafeBufferPointer(rebasing: utf8[copied..<index]))
                append(plain: escape)
                copied = next
            }
            index = next
        }
        append(UnsafeBufferPointer(rebasing: utf8[copied...]))
        append(byte: UInt8(ascii: "\""))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all bytes are ASCII characters that need no escapes.
    fileprivate var isPlain: Bool {
        allSatisfy { 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

extension Unicode.Scalar {
    /// The character's escape sequence inside a JSON text, or nil if the character needs no escape.
    fileprivate var jsonEscape: String? {
        switch self {
        case "\"": #"\""#
        case "\\": #"\\"#
        case "\n": #"\n"#
        default: steersDisplay ? numberEscape : nil
        }
    }

    /// The escape sequence with the character's number, such as `\u2028`. Four digits are enough, because no character
    /// with a larger number is ever escaped.
    fileprivate var numberEscape: String { #"\u"# + NumberText.digits(Int(value), atLeast: 4, radix: 16) }
}

extension String {
    /// The text on a single line and without tabs. Line breaks, other control characters, and backslashes are replaced
    /// by their JSON escapes.
    var escapingControls: String {
        guard unicodeScalars.contains(where: { $0 != "\"" && $0.jsonEscape != nil }) else { return self }
        return unicodeScalars.map { $0 == "\"" ? "\"" : $0.jsonEscape ?? String($0) }.joined()
    }

    /// The text with JSON's escapes replaced by the characters that they stand for. Nil if a backslash doesn't begin a
    /// valid escape. This is the reverse of ``escapingControls``.
    var unescapingControls: String? {
        guard utf8.contains(UInt8(ascii: "\\")) else { return self }
        var text = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "\\": text.append("\\")
            case "n": text.append("\n")
            case "r": text.append("\r")
            case "t": text.append("\t")
            case "u":
                guard rest.count >= 4, let value = UInt32(String(rest.prefix(4)), radix: 16),
                    let escaped = Unicode.Scalar(value)
                else { return nil }
                text.append(escaped)
                rest = rest.dropFirst(4)
            default: return nil
            }
        }
        return String(text)
    }
}

extension Encodable {
    /// Returns the value as indented JSON. The members are in a fixed order, and dates are in ISO 8601.
    func prettyJSON() throws -> String {
        let encoder = JSONEncoder.repeatable(.prettyPrinted)
        encoder.dateEncodingStrategy = .iso8601
        let text = String(decoding: try encoder.encode(self), as: UTF8.self)
        // `JSONEncoder` doesn't escape all characters that control a display. They can occur only inside strings, so
        // escaping them here keeps the JSON valid.
        return text.unicodeScalars.map { $0.steersDisplay && $0 != "\n" ? $0.numberEscape : String($0) }.joined() + "\n"
    }
}
