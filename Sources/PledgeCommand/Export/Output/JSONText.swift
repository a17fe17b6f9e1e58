import ExistKit
import PledgeCoding

/// JSON written straight into bytes: what a batch writes most of, so without a tree or an encoder in between.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Keeps no memory for what comes next.
    mutating func giveBack() {
        bytes = []
    }

    mutating func object(_ name: StaticString? = nil, _ body: (inout JSONText) -> Void) {
        open(UInt8(ascii: "{"), name)
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// A list of objects.
    mutating func objects<Items: Sequence>(
        _ name: StaticString, _ items: Items, _ body: (inout JSONText, Items.Element) -> Void
    ) {
        open(UInt8(ascii: "["), name)
        for item in items { object { body(&$0, item) } }
        close(UInt8(ascii: "]"))
    }

    mutating func texts(_ name: StaticString, _ items: some Sequence<String>) {
        open(UInt8(ascii: "["), name)
        for item in items {
            comma()
            append(item)
            needsComma = true
        }
        close(UInt8(ascii: "]"))
    }

    /// Opens what is closed later, when more has been read.
    mutating func open(_ bracket: UInt8, _ name: StaticString? = nil) {
        if let name { key(name) } else { comma() }
        bytes.append(bracket)
        needsComma = false
    }

    mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// A member; without a value it is left out.
    mutating func field(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        append(value)
        needsComma = true
    }

    mutating func field(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        key(name)
        append(value)
        needsComma = true
    }

    mutating func field(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        key(name)
        append(value)
        needsComma = true
    }

    mutating func field(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bytes += (value ? "true" : "false").utf8
        needsComma = true
    }

    mutating func field(_ name: StaticString, _ value: ExistDay?) {
        field(name, value?.description)
    }

    mutating func field(_ name: StaticString, _ values: [String: String]) {
        object(name) { json in
            for (name, value) in values.sorted(by: { ExactText($0.key) < ExactText($1.key) }) {
                json.comma()
                json.append(name)
                json.bytes.append(UInt8(ascii: ":"))
                json.append(value)
                json.needsComma = true
            }
        }
    }

    mutating func field(_ name: StaticString, _ value: AttributeValue) {
        key(name)
        switch value {
        case .integer(let number): append(number)
        case .decimal(let number): append(number)
        case .text(let text): append(text)
        case .other(let json): append(json)
        }
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func key(_ name: StaticString) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        // Names are plain words of ours.
        name.withUTF8Buffer { bytes += $0 }
        bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    }

    private mutating func append(_ number: Int) {
        appendPlain(number.description)
    }

    private mutating func append(_ number: Double) {
        // JSON has no word for what is no number.
        appendPlain(number.isFinite ? number.description : "null")
    }

    /// What needs no quotes and no escapes.
    private mutating func appendPlain(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ json: JSONValue) {
        switch json {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number): append(number)
        case .number(let number): append(number)
        case .string(let text): append(text)
        case .array(let items):
            bytes.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(item)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { ExactText($0.key) < ExactText($1.key) }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(member.key)
                bytes.append(UInt8(ascii: ":"))
                append(member.value)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Escapes what JSON asks for, and what steers a terminal, an editor or a reader of lines: to a JSON reader it is the
    /// same, and `cat`, `grep` and Python's `splitlines` are safe from it.
    private mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            // Beyond ASCII, all that is escaped begins with one of these two.
            let isPlain = utf8.allSatisfy {
                switch $0 {
                case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0xC2, 0xE2: false
                default: true
                }
            }
            if isPlain { bytes += utf8 }
            return isPlain
        }
        if !isPlain { text.unicodeScalars.forEach { appendEscaped($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"", "\\": bytes += [UInt8(ascii: "\\"), UInt8(ascii: scalar)]
        case "\n": bytes += #"\n"#.utf8
        case _ where scalar.steersDisplay: bytes += scalar.jsonEscape.utf8
        default: bytes += UTF8.encode(scalar).map(Array.init) ?? []
        }
    }
}

extension Unicode.Scalar {
    /// `\u2028`; for those of four digits, as all are that are escaped.
    fileprivate var jsonEscape: String {
        let digits = String(value, radix: 16)
        return #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension String {
    /// JSON text with the escapes that an encoder leaves out; see ``JSONText``. They can only stand within strings.
    var jsonEscapingControls: String {
        var escaped = ""
        for scalar in unicodeScalars {
            if scalar.steersDisplay, scalar != "\n" {
                escaped += scalar.jsonEscape
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
