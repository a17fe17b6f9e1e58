import Foundation
import PledgeCoding

/// What JSON consists of, without any of its values: the kinds of values at each place, and the names of members. The
/// items of a list have one shape together.
struct JSONShape: Equatable {
    enum Kind: String, Codable, CaseIterable {
        case null
        case empty = "an empty text"
        case bool = "true or false"
        case number = "a number"
        case text = "a text"
        case list = "a list"
        case object = "an object"
    }

    struct Member: Equatable {
        /// In how many of the objects it is.
        var count = 0
        /// A list with one element, because a structure cannot contain itself.
        var shape: [JSONShape] = []
    }

    var kinds: Set<Kind> = []
    /// The number of objects.
    private(set) var objects = 0
    private(set) var members: [String: Member] = [:]
    /// The shape of the items of a list.
    private(set) var items: [JSONShape] = []

    /// The kinds that say something: a value that is missing may be of any kind.
    var telling: Set<Kind> { kinds.subtracting([.null, .empty]) }

    /// Whether there is any value in it, at any depth: a model has no use for an object of which each member is null.
    private var hasValues: Bool {
        !telling.subtracting([.list, .object]).isEmpty
            || (items + members.values.flatMap(\.shape)).contains(where: \.hasValues)
    }

    init() {}

    /// - Parameter dictionaries: The names of members whose own members have names that are data, such as a study's
    ///   custom fields. All of these have the name `*` here.
    init(_ json: JSONValue, dictionaries: Set<String>) { add(json, dictionaries) }

    mutating func add(_ json: JSONValue, _ dictionaries: Set<String>, isDictionary: Bool = false) {
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
                var member = members[isDictionary ? "*" : name] ?? Member(shape: [JSONShape()])
                member.count += 1
                member.shape[0].add(value, dictionaries, isDictionary: dictionaries.contains(name))
                members[isDictionary ? "*" : name] = member
            }
        }
    }

    /// The names of all members at any depth.
    var names: Set<String> {
        (items + members.values.flatMap(\.shape)).reduce(into: Set(members.keys)) { $0.formUnion($1.names) }
    }

    /// Returns what a service has sent and a model has not read: fields that the model lacks, and values that it has read
    /// as another kind.
    func lost(in read: JSONShape, at place: String = "") -> [Difference] {
        var found: [Difference] = []
        let other = telling.subtracting(read.kinds)
        if let kind = other.sorted().first, !read.telling.isEmpty {
            let expected = read.telling.sorted().map(\.rawValue).joined(separator: " or ")
            found.append(Difference(.kind, at: place, "is \(kind.rawValue), and is read as \(expected)"))
        }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let (place, shape) = (place + (place.isEmpty ? name : ".\(name)"), member.shape[0])
            guard shape.hasValues else { continue }
            if let own = read.members[name]?.shape[0], !own.telling.isEmpty {
                found += shape.lost(in: own, at: place)
            } else {
                let kinds = shape.telling.sorted().map(\.rawValue).joined(separator: " or ")
                found.append(Difference(.dropped, at: place, "is \(kinds), and our model leaves it out"))
            }
        }
        if let own = items.first, let its = read.items.first { found += own.lost(in: its, at: place + "[]") }
        return found
    }

    /// Returns what a service does otherwise than the sandbox: fields that only one of them has, and values of another
    /// kind. The sandbox may send a field in some objects only; one that it always sends is expected.
    func differences(from sandbox: JSONShape, at place: String = "") -> [Difference] {
        var found: [Difference] = []
        if let kind = telling.subtracting(sandbox.kinds).sorted().first, !sandbox.telling.isEmpty {
            let expected = sandbox.telling.sorted().map(\.rawValue).joined(separator: " or ")
            found.append(Difference(.kind, at: place, "is \(kind.rawValue), and \(expected) in the sandbox"))
        }
        guard objects == 0 || sandbox.objects == 0 else {
            for name in Set(members.keys).union(sandbox.members.keys).sorted() where name != "*" {
                let place = place + (place.isEmpty ? name : ".\(name)")
                switch (members[name], sandbox.members[name]) {
                case (let own?, let its?): found += own.shape[0].differences(from: its.shape[0], at: place)
                case (_?, nil): found.append(Difference(.added, at: place, "is not sent by the sandbox"))
                case (nil, let its?) where its.count == sandbox.objects:
                    found.append(Difference(.missing, at: place, "is missing, and the sandbox always sends it"))
                case (nil, _): break
                }
            }
            return found
        }
        if let own = items.first, let its = sandbox.items.first {
            found += own.differences(from: its, at: place + "[]")
        }
        return found
    }
}

extension JSONShape.Kind: Comparable {
    static func < (one: Self, other: Self) -> Bool {
        (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
    }
}

/// Something that a service does otherwise than we believe. It contains no value of anyone's data.
struct Difference: Codable, Hashable, CustomStringConvertible {
    enum Kind: String, Codable {
        /// A field that our model leaves out.
        case dropped
        /// A field that the sandbox does not send.
        case added
        /// A field that the sandbox always sends.
        case missing
        /// A value of another kind.
        case kind
        /// Items that could not be read, or only in part.
        case unread
        case status, link, pageSize, limits, word
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

    var description: String { place.isEmpty ? text : "\(place) \(text)" }
}
