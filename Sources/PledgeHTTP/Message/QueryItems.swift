/// What follows the `?`, or makes up a form: names with values, escaped so that no server can misread them.
public struct QueryItems: Sendable, Equatable {
    private var pairs: [(name: String, encoded: String)] = []

    /// None.
    public init() {}

    /// Adds an item, unless the value is nil.
    public mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        pairs.append((name, Self.escape(value)))
    }

    /// Adds a number, unless it is nil.
    public mutating func add(_ name: String, _ value: Int?) {
        add(name, value.map(String.init))
    }

    /// Adds an item for a switch that is on, spelled as the service spells it.
    public mutating func add(_ name: String, _ isOn: Bool, as on: String) {
        if isOn { add(name, on) }
    }

    /// Adds one item with the values separated by commas, unless there are none: a comma inside a value is escaped,
    /// one between values is not.
    public mutating func add(_ name: String, list values: [String]?) {
        guard let values, !values.isEmpty else { return }
        pairs.append((name, values.map(Self.escape).joined(separator: ",")))
    }

    /// True without items.
    public var isEmpty: Bool { pairs.isEmpty }

    /// `name=value&name=value`
    public var encoded: String {
        pairs.map { "\(Self.escape($0.name))=\($0.encoded)" }.joined(separator: "&")
    }

    /// Two lists of items are equal if they are the same on the wire.
    public static func == (left: QueryItems, right: QueryItems) -> Bool {
        left.encoded == right.encoded
    }

    /// Escapes everything but RFC 3986's unreserved characters: `URLComponents` would leave `+`, which servers read as
    /// a space.
    private static func escape(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var out = String.UnicodeScalarView()
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                out.append(Unicode.Scalar(byte))
            default:
                out.append("%")
                out.append(digits[Int(byte >> 4)])
                out.append(digits[Int(byte & 15)])
            }
        }
        return String(out)
    }
}

extension QueryItems: CustomStringConvertible, CustomReflectable {
    /// ``encoded``, without the values of `password`, `code` and other names of secrets.
    public var description: String { shown.map { "\(Self.escape($0.name))=\($0.value)" }.joined(separator: "&") }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: shown.map { (label: $0.name, value: $0.value) }) }

    private var shown: [(name: String, value: String)] {
        pairs.map { ($0.name, SecretName.matches($0.name) ? "…" : $0.encoded) }
    }
}
