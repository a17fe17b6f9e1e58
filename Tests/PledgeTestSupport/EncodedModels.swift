import Foundation
import PledgeCoding
import Testing

/// Collects the models that samples of responses decode to. Each model is encoded, as in an app's cache, and decoded again.
package struct EncodedModels {
    private let module: String
    private var properties: Set<String> = []
    private var set: Set<String> = []
    private var seen: Set<String> = []

    package init(of module: String) { self.module = module }

    /// The properties that have no value in any sample.
    package var unset: Set<String> { properties.subtracting(set) }

    /// Adds a model, or a list of models, with everything inside it, and checks that it can be encoded and decoded again.
    package mutating func add(_ value: Any, from sample: String) {
        check(value, sample)
        count(value)
    }

    /// Records the properties of a model, and which of them have a value.
    package mutating func count(_ value: Any) {
        let mirror = Mirror(reflecting: value)
        if let name = name(mirror), value is any Codable {
            seen.insert(name)
            for case let (label?, value) in mirror.children
            where mirror.displayStyle == .struct && !label.hasPrefix("_") {
                properties.insert("\(name).\(label)")
                if !["nil", "", "[]", "[:]", "0", "false"].contains("\(value)") { set.insert("\(name).\(label)") }
            }
        }
        for child in mirror.children { count(child.value) }
    }

    /// Returns the name of the mirrored type, or nil if that type is not declared in the module.
    private func name(_ mirror: Mirror) -> String? {
        let type = String(reflecting: mirror.subjectType)
        return type.hasPrefix("\(module).") ? String(type.dropFirst(module.count + 1).prefix { $0 != "<" }) : nil
    }

    /// Changes a sample at random. If it still decodes, checks that the model can be encoded and decoded again.
    package func checkChanged(_ sample: String, _ name: String, _ read: (Data) throws -> Any) throws {
        let tree = try JSONTree(sample)
        Fuzzing.run(cases: 30, name) { seed, generator in
            let text = tree.changed(&generator).text(&generator)
            guard let value = try? read(Data(text.utf8)) else { return }
            check(value, "seed \(seed) of \(name): \(text)", alsoAsList: false)
        }
    }

    /// Returns the decodable types of the module that occur in no sample. Expects that every decodable type can be encoded.
    package func missing() throws -> Set<String> {
        let symbols = try Repository.symbols(module)
        func types(_ fact: String) -> Set<String> {
            Set(symbols.filter { $0.declaration == "is \(fact)" }.map(\.path))
        }
        #expect(types("Decodable").isSubset(of: types("Encodable")))
        return types("Decodable").subtracting(seen)
    }

    /// Returns whether a model contains unreadable items. They are not encoded, so the model can't be compared.
    private static func isPart(_ mirror: Mirror) -> Bool {
        mirror.children.contains { label, value in
            (value as? [UnreadableItem])?.isEmpty == false || label == "content" && isPart(Mirror(reflecting: value))
        }
    }

    private func check(_ value: Any, _ words: String, alsoAsList: Bool = true) {
        let mirror = Mirror(reflecting: value)
        if let name = name(mirror), let model = value as? any Codable & Equatable, !Self.isPart(mirror) {
            return Self.check(model, "\(name) of \(words)", alsoAsList)
        }
        for child in mirror.children { check(child.value, words, alsoAsList: alsoAsList) }
    }

    private static func check<Model: Codable & Equatable>(_ model: Model, _ words: String, _ alsoAsList: Bool) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        // Encodes a list with the model, because a property list can't consist of a single text.
        #expect(throws: Never.self, "\(words)") {
            let json = try encoder.encode([model])
            var copies = [
                try JSONDecoder().decode([Model].self, from: json),
                try TapeDecoder.decode([Model].self, from: JSONTape(json)),
            ]
            // A property list can't store a number with more digits than a double.
            if alsoAsList {
                let list = try PropertyListEncoder().encode([model])
                copies.append(try PropertyListDecoder().decode([Model].self, from: list))
            }
            for again in copies {
                let (sent, found) = (leaves(of: model), leaves(of: again[0]))
                #expect(
                    again == [model], "\(words): \(Set(sent.keys).union(found.keys).filter { sent[$0] != found[$0] })")
            }
        }
    }
}
