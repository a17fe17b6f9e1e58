/// What follows the `?`, or makes up a form: names with values, escaped so that no server can misread them.
///
/// ```swift
/// Endpoint<[Book]>(.get, "books", query: ["author": author, "languages": ["en", "sv"], "page": 2])
/// ```
public struct QueryItems: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var pairs: [(name: String, encoded: String)] = []

    /// Makes a query without items.
    public init() {}

    /// `["author": author, "page": 2]`, in this order; an item whose value is nil is left out.
    public init(dictionaryLiteral elements: (String, (any QueryValue)?)...) {
        self.init(elements)
    }

    /// Pairs of names and values, in this order; one whose value is nil is left out.
    public init(_ pairs: [(String, (any QueryValue)?)]) {
        for (name, value) in pairs { add(name, value) }
    }

    /// Adds an item, unless the value is nil.
    public mutating func add(_ name: String, _ value: (any QueryValue)?) {
        guard let texts = value?.queryTexts, !texts.isEmpty else { return }
        pairs.append((name, texts.map(Self.escape).joined(separator: ",")))
    }

    /// True if there are no items.
    public var isEmpty: Bool { pairs.isEmpty }

    /// The items as they stand in an address: `name=value&name=value`.
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

/// What can be the value of an item: text, a number, a flag (`true` or `false`), or a list of them with commas between;
/// a comma inside a value is escaped.
public protocol QueryValue: Sendable {
    /// The text of the value, or of each value of a list; empty for no item at all.
    var queryTexts: [String] { get }
}

extension QueryValue where Self: CustomStringConvertible {
    /// The value as Swift prints it.
    public var queryTexts: [String] { [description] }
}

extension String: QueryValue {}
extension Int: QueryValue {}
extension Double: QueryValue {}
extension Bool: QueryValue {}

extension Array: QueryValue where Element: QueryValue {
    /// The texts of all values.
    public var queryTexts: [String] { flatMap(\.queryTexts) }
}
