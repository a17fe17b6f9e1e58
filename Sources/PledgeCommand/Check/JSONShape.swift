import Foundation
import PledgeCoding

/// What JSON consists of, without any of its values: the kinds of values at each place, and the names of members. The
/// items of a list have one shape together.
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
        /// In how many of the objects it is.
        var count = 0
        /// A list with one element, because a structure cannot contain itself.
        var shape: [JSONShape] = []
    }

    private(set) var kinds: Set<Kind> = []
    /// The number of objects.
    private(set) var objects = 0
    private(set) var members: [String: Member] = [:]
    /// The shape of the items of a list.
    private(set) var items: [JSONShape] = []

    /// The kinds that say something: a value that is missing may be of any kind.
    private var telling: [Kind] { Kind.allCases.filter { $0 != .null && $0 != .empty && kinds.contains($0) } }

    /// Whether there is any value in it, at any depth: a model has no use for an object of which each member is null.
    private var hasValues: Bool {
        telling.contains { $0 != .list && $0 != .object }
            || (items + members.values.flatMap(\.shape)).contains(where: \.hasValues)
    }

    /// The names of all members at any depth.
    var names: Set<String> {
        (items + members.values.flatMap(\.shape)).reduce(into: Set(members.keys)) { $0.formUnion($1.names) }
    }

    private var words: String { telling.map(\.rawValue).joined(separator: " or ") }

    /// - Parameter dictionaries: The names of members whose own members have names that are data, such as a study's
    ///   custom fields. What is in them is left out.
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
                var member = members[name] ?? Member(shape: [JSONShape()])
                member.count += 1
                if dictionaries.contains(name) {
                    member.shape[0].kinds.insert(JSONShape(value).telling.first ?? .null)
                } else {
                    member.shape[0].add(value, dictionaries)
                }
                members[name] = member
            }
        }
    }

    /// Stands for a name that may be data, such as a date or an address.
    static let hiddenName = "(a name that is not shown)"

    private static func isFieldName(_ name: String) -> Bool {
        1...40 ~= name.utf8.count && name.first?.isLetter == true
            && name.utf8.allSatisfy {
                $0 < 0x80 && (Character(UnicodeScalar($0)).isLetter || 0x30...0x39 ~= $0 || $0 == 0x5F)
            }
    }

    /// Returns where this, which a service has sent, differs from what the model has read of it, and from what the sandbox
    /// sends. Nothing of an unexpected kind is looked into: its names may be data.
    ///
    /// - Parameters:
    ///   - read: What the model has read; nil if it could not read the response.
    ///   - sandbox: What the sandbox sends; nil if that is not known.
    func differences(from read: JSONShape?, sandbox: JSONShape?, at place: String = "") -> [Difference] {
        let expected = [read, sandbox].compactMap(\.self).first { !$0.telling.isEmpty }
        if let expected, let kind = telling.first(where: { !expected.kinds.contains($0) }) {
            return [Difference(.kind, at: place, "is \(kind.rawValue), but \(expected.words) was expected")]
        }
        var found: [Difference] = []
        let known = [read, sandbox].compactMap(\.self).filter { $0.objects > 0 }
        if objects > 0, let own = known.first, !members.isEmpty, !own.members.isEmpty,
            known.allSatisfy({ Set($0.members.keys).isDisjoint(with: members.keys) })
        {
            return [Difference(.unknown, at: place, "has only fields that pledge does not know")]
        }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) where member.shape[0].hasValues {
            let (place, shape) = (Self.place(place, name), member.shape[0])
            let (own, its) = (read?.members[name]?.shape[0], sandbox?.members[name]?.shape[0])
            if own?.telling.isEmpty == false || read == nil && its != nil {
                found += shape.differences(from: own, sandbox: its, at: place)
            } else if let its, !its.telling.isEmpty, let kind = shape.telling.first(where: { !its.kinds.contains($0) })
            {
                found.append(Difference(.kind, at: place, "is \(kind.rawValue), but \(its.words) was expected"))
            } else if read != nil || sandbox != nil {
                found.append(Difference(.dropped, at: place, "is \(shape.words), and pledge ignores it"))
            }
        }
        if objects > 0, let sandbox {
            for (name, member) in sandbox.members.sorted(by: { $0.key < $1.key })
            where members[name] == nil && member.count == sandbox.objects {
                // A model that has a value all the same needs the field; one that has none treats it as optional.
                let isNeeded = read.map { $0.members[name]?.shape[0].hasValues == true } ?? true
                found.append(
                    Difference(
                        isNeeded ? .missing : .absent, at: Self.place(place, name),
                        "is missing, but the sandbox always sends it"))
            }
        }
        if let own = items.first {
            found += own.differences(from: read?.items.first, sandbox: sandbox?.items.first, at: place + "[]")
        }
        return found
    }

    private static func place(_ place: String, _ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
}

/// Something that a service does otherwise than we believe. It contains no value of anyone's data.
struct Difference: Codable, Hashable, CustomStringConvertible {
    enum Kind: String, Codable {
        /// A field that pledge ignores.
        case dropped
        /// An object none of whose fields pledge knows.
        case unknown
        /// A field that pledge needs.
        case missing
        /// A field that the sandbox always sends, and that pledge can do without.
        case absent
        /// A value of another kind.
        case kind
        /// A response or items that could not be read, or only in part.
        case unread
        case status, link, pageSize, limits
        /// A word in another spelling.
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

    /// Whether a service may well do so.
    var isLawful: Bool { kind == .absent || kind == .newWord }
    var description: String { place.isEmpty ? text : "\(place) \(text)" }
}
