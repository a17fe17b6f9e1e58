import Foundation
import PledgeCoding

/// The structure of a JSON value: the names of members, and the kinds of values at each path, but none of the values.
/// All items of a list are combined into one shape.
struct JSONShape {
    enum Kind: String, CaseIterable {
        case null
        case empty = "an empty text"
        case bool = "true or false"
        case number = "a number"
        case text = "a text"
        case list = "a list"
        case object = "an object"
    }

    struct Member {
        /// The number of objects that have this member.
        var count = 0
        /// The combined shape of the member's values.
        var shape = JSONShape()
    }

    private(set) var kinds: Set<Kind> = []
    /// The number of objects that are combined in this shape.
    private(set) var objects = 0
    private(set) var members: [String: Member] = [:]
    /// The combined shape of all items of lists, in an array with one element; empty if there are no items. It is an
    /// array, because a structure cannot directly contain itself.
    private(set) var items: [JSONShape] = []

    /// The kinds of values, without null and the empty text. These two may stand for a missing value of any kind.
    private var telling: [Kind] { Kind.allCases.filter { $0 != .null && $0 != .empty && kinds.contains($0) } }

    /// Whether the shape contains a value at any depth. Null and empty texts don't count, because a model has no use
    /// for an object that contains nothing else.
    private var hasValues: Bool {
        telling.contains { $0 != .list && $0 != .object }
            || (items + members.values.map(\.shape)).contains(where: \.hasValues)
    }

    /// The names of all members, at any depth.
    var names: Set<String> {
        (items + members.values.map(\.shape)).reduce(into: Set(members.keys)) { $0.formUnion($1.names) }
    }

    private var words: String { telling.map(\.rawValue).joined(separator: " or ") }

    /// - Parameter dictionaries: The names of members that are dictionaries, such as a study's custom fields. The keys
    ///   of a dictionary are data, so its content is left out.
    init(_ json: JSONValue? = nil, dictionaries: Set<String> = []) {
        if let json { add(json, dictionaries) }
    }

    mutating func add(_ json: JSONValue, _ dictionaries: Set<String> = []) {
        switch json {
        case .null: kinds.insert(.null)
        case .bool: kinds.insert(.bool)
        case .integer, .number, .decimal: kinds.insert(.number)
        case .string(let text): kinds.insert(text.isEmpty ? .empty : .text)
        case .array(let values):
            kinds.insert(.list)
            for value in values {
                if items.isEmpty { items = [JSONShape()] }
                items[0].add(value, dictionaries)
            }
        case .object(let fields):
            kinds.insert(.object)
            objects += 1
            for (name, value) in fields {
                let name = Self.isFieldName(name) ? name : Self.hiddenName
                var member = members[name] ?? Member()
                member.count += 1
                if dictionaries.contains(name) {
                    member.shape.kinds.insert(JSONShape(value).telling.first ?? .null)
                } else {
                    member.shape.add(value, dictionaries)
                }
                members[name] = member
            }
        }
    }

    /// The text that replaces a member's name if the name may be data, such as a date or an address.
    static let hiddenName = "(a name that is not shown)"

    private static func isFieldName(_ name: String) -> Bool {
        1...40 ~= name.utf8.count && name.first?.isLetter == true
            && name.utf8.allSatisfy {
                $0 < 0x80 && (Character(UnicodeScalar($0)).isLetter || 0x30...0x39 ~= $0 || $0 == 0x5F)
            }
    }

    /// Returns the ways in which this shape differs from two other shapes. This shape is that of a service's response.
    /// The others are the shape of what the model read from the response, and the shape of the sandbox's response. If a
    /// value is of an unexpected kind, its content is not compared, because its names may be data.
    ///
    /// - Parameters:
    ///   - read: The shape of what the model read; nil if the model could not read the response.
    ///   - sandbox: The shape of the sandbox's response; nil if it is unknown.
    ///   - place: The path of this shape in the response.
    func differences(from read: JSONShape?, sandbox: JSONShape?, at place: String = "") -> [Difference] {
        let expected = [read, sandbox].compactMap(\.self).first { !$0.telling.isEmpty }
        if let expected, let kind = telling.first(where: { !expected.kinds.contains($0) }) {
            return [Difference(.kind, at: place, "is \(kind.rawValue), but \(expected.words) was expected")]
        }
        let known = [read, sandbox].compactMap(\.self).filter { $0.objects > 0 }
        if objects > 0, let own = known.first, !members.isEmpty, !own.members.isEmpty,
            known.allSatisfy({ Set($0.members.keys).isDisjoint(with: members.keys) })
        {
            return [Difference(.unknown, at: place, "has only fields that pledge does not know")]
        }
        var found = memberDifferences(from: read, sandbox: sandbox, at: place)
        if objects > 0, let sandbox { found += missingMembers(of: sandbox, read: read, at: place) }
        if let own = items.first {
            found += own.differences(from: read?.items.first, sandbox: sandbox?.items.first, at: place + "[]")
        }
        return found
    }

    /// Returns the differences of the members that this shape has.
    private func memberDifferences(from read: JSONShape?, sandbox: JSONShape?, at place: String) -> [Difference] {
        members.sorted { $0.key < $1.key }.filter(\.value.shape.hasValues).flatMap { name, member -> [Difference] in
            let (place, shape) = (Self.place(place, name), member.shape)
            let (own, its) = (read?.members[name]?.shape, sandbox?.members[name]?.shape)
            if own?.telling.isEmpty == false || read == nil && its != nil {
                return shape.differences(from: own, sandbox: its, at: place)
            }
            if let its, !its.telling.isEmpty, let kind = shape.telling.first(where: { !its.kinds.contains($0) }) {
                return [Difference(.kind, at: place, "is \(kind.rawValue), but \(its.words) was expected")]
            }
            guard read != nil || sandbox != nil else { return [] }
            return [Difference(.dropped, at: place, "is \(shape.words), and pledge ignores it")]
        }
    }

    /// Returns a difference for each member that the sandbox always sends, but that this shape doesn't have.
    private func missingMembers(of sandbox: JSONShape, read: JSONShape?, at place: String) -> [Difference] {
        sandbox.members.sorted { $0.key < $1.key }
            .filter { members[$0.key] == nil && $0.value.count == sandbox.objects }
            .map { name, _ in
                // If the model could read the response, and has no value for the field, the field is optional. In all
                // other cases, the field counts as needed.
                let isNeeded = read.map { $0.members[name]?.shape.hasValues == true } ?? true
                return Difference(
                    isNeeded ? .missing : .absent, at: Self.place(place, name),
                    "is missing, but the sandbox always sends it")
            }
    }

    private static func place(_ place: String, _ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
}

/// A difference between how a service behaves and what this tool expects. It contains none of the user's values.
struct Difference: Codable, Hashable, CustomStringConvertible {
    enum Kind: String, Codable {
        /// A field that pledge ignores.
        case dropped
        /// An object that has only fields that pledge does not know.
        case unknown
        /// A missing field that pledge needs.
        case missing
        /// A missing field that the sandbox always sends, but that pledge does not need.
        case absent
        /// A value of an unexpected kind, such as a text instead of a number.
        case kind
        /// A response that could not be read, or a list with items that could not be read.
        case unread
        case status, link, pageSize, limits
        /// A word that the sandbox knows, but with other capital letters.
        case word
        /// A word that the sandbox does not send.
        case newWord
    }

    var kind: Kind
    /// The path of the field, such as `results[].name`; empty for the response as a whole.
    var place: String
    var text: String

    init(_ kind: Kind, at place: String = "", _ text: String) {
        self.kind = kind
        self.place = place
        self.text = text
    }

    /// Whether a service is free to differ in this way: it may leave out an optional field, or add a word.
    var isLawful: Bool { kind == .absent || kind == .newWord }
    var description: String { place.isEmpty ? text : "\(place) \(text)" }
}
