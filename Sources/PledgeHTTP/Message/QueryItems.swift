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
    /// The reason why the query cannot be sent: a number or a date that no service could read.
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

    /// Escapes all characters except RFC 3986's unreserved ones. That includes `+`, which `URLComponents` does not
    /// escape, and which servers read as a space.
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

/// A value of a query item: text, a number, a date (in ISO 8601), a Boolean value, or a list of these. The values of a
/// list are separated by commas; a comma inside a value is escaped.
///
/// An enumeration with raw values conforms without further code:
/// `enum Order: String, QueryValue { case newest, oldest }`.
public protocol QueryValue: Sendable {
    /// The text of the value, or of each value in a list. If it is empty, the item is omitted.
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
        // A date that was calculated may lie slightly off its millisecond.
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

/// Decodes the escapes with which a service may repeat a secret.
enum EscapedText {
    /// Returns a text in which escapes such as `%2F` are decoded; nil if it has none.
    static func percentDecoded(_ text: String) -> String? {
        unescaped(Array(text.utf8), UInt8(ascii: "%")) { rest in number(rest.prefix(2), digits: 2).map { ($0, 2) } }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a text in which JSON's escapes, such as `\/`, `\n`, and `\u002f`, are decoded; nil if it has none.
    static func jsonUnescaped(_ text: String) -> String? {
        unescaped(Array(text.utf16), backslash) { rest in
            guard let kind = rest.first else { return nil }
            if let unit = units[kind] { return (unit, 1) }
            return kind == letterU ? number(rest.dropFirst().prefix(4), digits: 4).map { ($0, 5) } : nil
        }.map { String(decoding: $0, as: UTF16.self) }
    }

    private static let (backslash, letterU): (UInt16, UInt16) = (0x5C, 0x75)
    private static let units: [UInt16: UInt16] = [
        0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
    ]

    /// - Parameter read: Receives the text after an escape's mark. Returns what the escape stands for, and its length.
    private static func unescaped<Unit: FixedWidthInteger>(
        _ text: [Unit], _ mark: Unit, _ read: (ArraySlice<Unit>) -> (Unit, length: Int)?
    ) -> [Unit]? {
        guard text.contains(mark) else { return nil }
        var plain = [Unit]()
        var rest = text[...]
        while let unit = rest.popFirst() {
            let escape = unit == mark ? read(rest) : nil
            plain.append(escape?.0 ?? unit)
            rest = rest.dropFirst(escape?.length ?? 0)
        }
        return plain
    }

    private static func number<Unit: FixedWidthInteger>(_ text: ArraySlice<Unit>, digits: Int) -> Unit? {
        let values = text.compactMap { Unicode.Scalar(UInt32($0)).flatMap { Character($0).hexDigitValue } }
        return values.count == digits ? values.reduce(0) { $0 << 4 | Unit($1) } : nil
    }
}
