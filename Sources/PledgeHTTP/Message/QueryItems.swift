/// The items of a query or form: names and values, escaped so that no server can misinterpret them.
///
/// ```swift
/// Endpoint<[Book]>(.get, "books", query: ["author": author, "languages": ["en", "sv"], "page": 2])
/// ```
public struct QueryItems: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var pairs: [(name: String, encoded: String)] = []

    /// Creates a query without items.
    public init() {}

    /// Creates a query from a literal, such as `["author": author, "page": 2]`, omitting items whose value is nil.
    public init(dictionaryLiteral elements: (String, (any QueryValue)?)...) {
        self.init(elements)
    }

    /// Creates a query from names and values, in order, omitting items whose value is nil.
    public init(_ pairs: [(String, (any QueryValue)?)]) {
        for (name, value) in pairs { add(name, value) }
    }

    /// Adds an item, unless its value is nil.
    public mutating func add(_ name: String, _ value: (any QueryValue)?) {
        guard let texts = value?.queryTexts, !texts.isEmpty else { return }
        pairs.append((name, texts.map(Self.escape).joined(separator: ",")))
    }

    /// Whether there are no items.
    public var isEmpty: Bool { pairs.isEmpty }

    /// The items as they appear in a URL: `name=value&name=value`.
    public var encoded: String {
        pairs.map { "\(Self.escape($0.name))=\($0.encoded)" }.joined(separator: "&")
    }

    /// Returns whether two queries have the same encoded form.
    public static func == (left: QueryItems, right: QueryItems) -> Bool {
        left.encoded == right.encoded
    }

    /// Escapes everything except RFC 3986's unreserved characters. `URLComponents` would leave `+`, which servers
    /// decode as a space.
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
    /// The value of ``encoded``, without the values of `password`, `code`, and other names of secrets.
    public var description: String { shown.map { "\(Self.escape($0.name))=\($0.value)" }.joined(separator: "&") }

    /// The items for `dump`, without values that are secret.
    public var customMirror: Mirror { Mirror(self, children: shown.map { (label: $0.name, value: $0.value) }) }

    private var shown: [(name: String, value: String)] {
        pairs.map { ($0.name, SecretName.matches($0.name) ? "…" : $0.encoded) }
    }
}

/// A value of a query item: text, a number, a Boolean value (`true` or `false`), or a list of these, separated by
/// commas. A comma within a value is escaped.
public protocol QueryValue: Sendable {
    /// The text of the value, or of each value in a list; empty to omit the item.
    var queryTexts: [String] { get }
}

extension QueryValue where Self: CustomStringConvertible {
    /// The value's description as its only text.
    public var queryTexts: [String] { [description] }
}

extension String: QueryValue {}
extension Int: QueryValue {}
extension Double: QueryValue {}
extension Bool: QueryValue {}

extension Array: QueryValue where Element: QueryValue {
    /// The texts of all values, in order.
    public var queryTexts: [String] { flatMap(\.queryTexts) }
}
