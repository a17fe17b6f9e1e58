import Foundation
import PledgeCoding

/// The items of a query or form. Their names and values are escaped, so that no server can misinterpret them.
///
/// ```swift
/// Endpoint<[Book]>(.get, "books", query: ["author": author, "languages": ["en", "sv"], "page": 2])
/// ```
public struct QueryItems: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// The items. Their values are already escaped.
    private var items: [(name: String, value: String)] = []
    /// The reason why the query cannot be sent; nil if it can be sent. A query cannot be sent if it has a number or a
    /// date that is not finite, because no service could read that value.
    private(set) var problem: String?

    /// Creates a query without items.
    public init() {}

    /// Creates a query from a literal, such as `["author": author, "page": 2]`. Items whose value is nil are omitted.
    public init(dictionaryLiteral elements: (String, (any QueryValue)?)...) {
        self.init(elements)
    }

    /// Creates a query from names and values, in their order. Items whose value is nil are omitted.
    public init(_ pairs: [(String, (any QueryValue)?)]) {
        for (name, value) in pairs { add(name, value) }
    }

    /// Adds an item, unless its value is nil.
    public mutating func add(_ name: String, _ value: (any QueryValue)?) {
        guard let value else { return }
        let all = value as? [any QueryValue] ?? [value]
        if all.contains(where: { ($0 as? Double ?? ($0 as? Date)?.timeIntervalSince1970)?.isFinite == false }) {
            problem = "“\(name)” is not finite"
        }
        let texts = value.queryTexts.map(Self.escape)
        if !texts.isEmpty { items.append((name, texts.joined(separator: ","))) }
    }

    mutating func add(_ other: QueryItems) { items += other.items }

    /// Whether there are no items.
    public var isEmpty: Bool { items.isEmpty }

    /// The items as they appear in a URL: `name=value&name=value`.
    public var encoded: String { items.map { "\(Self.escape($0.name))=\($0.value)" }.joined(separator: "&") }

    /// Returns whether two queries have the same encoded form.
    public static func == (left: QueryItems, right: QueryItems) -> Bool {
        left.encoded == right.encoded
    }

    /// Returns a text in which all characters are escaped except RFC 3986's unreserved ones. A `+` is escaped, too:
    /// `URLComponents` would leave it as it is, and servers would read it as a space.
    package static func escape(_ text: String) -> String {
        text.utf8.reduce(into: "") { escaped, byte in
            let isPlain = isAlphanumeric(byte) || "-._~".utf8.contains(byte)
            escaped += isPlain ? String(Unicode.Scalar(byte)) : percentEncoded(byte)
        }
    }

    static func percentEncoded(_ byte: UInt8) -> String {
        "%" + NumberText.digits(Int(byte), atLeast: 2, radix: 16).uppercased()
    }
}

extension QueryItems: Redacted {
    /// The text of ``encoded``. The values of `password`, `code`, and other names of secrets are left out.
    public var description: String {
        items.map { "\(Self.escape($0.name))=\(SecretName.matches($0.name) ? "…" : $0.value)" }.joined(separator: "&")
    }
}

/// A value of a query item: a text, a number, a date (in ISO 8601), a Boolean value, or a list of these. The values of
/// a list are separated by commas. A comma inside a value is escaped.
///
/// An enumeration with raw values conforms without further code:
///
/// `enum Order: String, QueryValue { case newest, oldest }`
public protocol QueryValue: Sendable {
    /// The text of the value, or the texts of all values in a list. If there is no text, the item is omitted.
    var queryTexts: [String] { get }
}

extension QueryValue where Self: CustomStringConvertible {
    /// The value's description as its only text.
    public var queryTexts: [String] { [description] }
}

extension QueryValue where Self: RawRepresentable, RawValue: QueryValue {
    /// The texts of the raw value.
    public var queryTexts: [String] { rawValue.queryTexts }
}

extension QueryValue where Self: RawRepresentable & CustomStringConvertible, RawValue: QueryValue {
    /// The texts of the raw value.
    public var queryTexts: [String] { rawValue.queryTexts }
}

extension Date: QueryValue {
    /// The date and time in UTC, such as `2024-03-02T09:11:12Z`. Milliseconds are included unless they are zero.
    public var queryTexts: [String] {
        // Rounds to a millisecond, because a date that was calculated may lie slightly off.
        let seconds = (timeIntervalSince1970 * 1000).rounded() / 1000
        return [Timestamp.text(Date(timeIntervalSince1970: seconds), digits: seconds == seconds.rounded() ? 0 : 3)]
    }
}

extension String: QueryValue {}
extension Int: QueryValue {}
extension Double: QueryValue {}
extension Bool: QueryValue {}

extension Array: QueryValue where Element: QueryValue {
    /// The texts of all values, in order.
    public var queryTexts: [String] { flatMap(\.queryTexts) }
}
