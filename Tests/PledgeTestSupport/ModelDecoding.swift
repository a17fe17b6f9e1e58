import Foundation
import PledgeCoding
import Testing

/// The result of decoding a response: its items or other parts, and the items that were left out because they are unreadable.
package struct ModelReading {
    let parts: [any Equatable]
    let unreadable: [UnreadableItem]

    package init(_ parts: [any Equatable], _ unreadable: [UnreadableItem] = []) {
        (self.parts, self.unreadable) = (parts, unreadable)
    }

    func hasParts(of other: ModelReading) -> Bool {
        parts.count == other.parts.count && zip(parts, other.parts).allSatisfy(Self.isSame)
    }

    static func isSame(_ one: any Equatable, _ other: any Equatable) -> Bool {
        func compare<Value: Equatable>(_ one: Value) -> Bool { one == other as? Value }
        return compare(one)
    }
}

/// Decodes the responses of an endpoint with a client and with Foundation's decoder, and compares the results.
package struct ModelDecoding: Sendable {
    private let hasItems: Bool
    private let client: @Sendable (Data) throws -> ModelReading
    private let foundation: @Sendable (Data) throws -> ModelReading
    private let path: @Sendable (any Error) -> String?

    /// - Parameters:
    ///   - hasItems: Whether the items of a response's lists are read independently, so that a broken item affects no other.
    ///   - path: Returns the path of an error. Only paths are compared, because each decoder words its errors differently.
    package init(
        hasItems: Bool, client: @escaping @Sendable (Data) throws -> ModelReading,
        foundation: @escaping @Sendable (Data) throws -> ModelReading,
        path: @escaping @Sendable (any Error) -> String?
    ) {
        (self.hasItems, self.client, self.foundation, self.path) = (hasItems, client, foundation, path)
    }

    /// Decodes a response unchanged, and with a broken item at the start of each of its lists.
    package func checkBroken(_ name: String, _ body: Data) throws {
        guard hasItems else { return }
        let (whole, sent) = (try client(body), try JSONDecoder().decode(JSONValue.self, from: body))
        #expect(whole.unreadable.isEmpty, "\(name)")
        // The response to a write lists the items that were not written. Such an item may lack every field.
        let isWrite = if case .object(let members) = sent { members["failed"] != nil } else { false }
        let nameless: [JSONValue] = isWrite ? [] : [.object([:]), .object(["id": .array([]), "name": .array([])])]
        for item in nameless + [.integer(7), .null, .string("x")] {
            let found = try client(JSONEncoder().encode(Self.putting(item, into: sent)))
            #expect(found.hasParts(of: whole), "\(name) with \(item)")
            #expect(found.unreadable.map(\.index) == Self.lists(of: sent).map { _ in 0 }, "\(name) with \(item)")
        }
    }

    /// Returns the names of the lists in a response, or one empty name if the response itself is a list.
    private static func lists(of response: JSONValue) -> [String] {
        guard case .object(let members) = response else { return [""] }
        return members.compactMap { name, value in if case .array = value { name } else { nil } }
    }

    private static func putting(_ item: JSONValue, into response: JSONValue) -> JSONValue {
        switch response {
        case .array(let items): .array([item] + items)
        case .object(let members):
            .object(members.mapValues { if case .array = $0 { putting(item, into: $0) } else { $0 } })
        case let other: other
        }
    }

    /// Replaces the values in the fields of a response with wrong values, and returns the effects. A field of an item is named
    /// without the list that contains the item.
    ///
    /// Also checks that a wrong value in place of an item, a list, or a link to the next page makes an item or the whole
    /// response unreadable.
    package func variants(of name: String, _ body: Data) throws -> HostileVariants {
        var variants = HostileVariants()
        try variants.check(String(decoding: body, as: UTF8.self), client)
        #expect(!variants.needed.contains { $0.contains("[].") }, "\(name): \(variants.needed)")
        let sent = try JSONDecoder().decode(JSONValue.self, from: body)
        if hasItems {
            var fields = Self.lists(of: sent).flatMap { $0.isEmpty ? ["[]"] : [".\($0)", ".\($0)[]"] }
            if case .object(let members) = sent {
                fields += ["next", "nextPageID"].filter { members[$0] != nil }.map { ".\($0)" }
            }
            for field in fields {
                let isNeeded = [variants.needed.remove(field), variants.neededByItem.remove(field)] != [nil, nil]
                #expect(isNeeded, "\(name): \(field)")
                variants.unusual.remove(field)
            }
        }
        func named(_ paths: Set<String>) -> Set<String> {
            Set(paths.map { $0.replacing(#/^(\.?\w*\[\])?\./#, with: "") })
        }
        variants.needed = named(variants.needed)
        (variants.neededByItem, variants.unusual) = (named(variants.neededByItem), named(variants.unusual))
        return variants
    }
}

// MARK: - Random changes

extension ModelDecoding {
    /// The result of decoding, or the path at which it failed.
    private enum Outcome {
        case read(ModelReading)
        case failed(String?)

        /// Returns whether both outcomes are the same, except for differences that are expected. Foundation doesn't report the
        /// place of a number that a type cannot hold, and visits keys in no fixed order. Remarks about items that were kept are
        /// not compared.
        func isSame(as foundation: Outcome) -> Bool {
            switch (self, foundation) {
            case (.read(let ours), .read(let theirs)):
                ours.hasParts(of: theirs) && ours.unreadable.lost == theirs.unreadable.lost
                    && zip(ours.unreadable.filter { !$0.isKept }, theirs.unreadable.filter { !$0.isKept })
                        .allSatisfy { $0 == $1 || $0.index == $1.index && $1.reason == Self.vague }
            case (.failed(let path), .failed(let theirPath)):
                theirPath == nil || path == theirPath
                    || [path, theirPath].allSatisfy { $0?.hasSuffix("Enabled") ?? false }
            default: false
            }
        }

        private static var vague: String { "it has a number that no Swift type can hold" }
    }

    private func outcome(_ read: (Data) throws -> ModelReading, _ body: Data) -> Outcome {
        do { return .read(try read(body)) } catch { return .failed(path(error)) }
    }

    /// Compares how both decoders read a response after random changes. `PLEDGE_FUZZ_SEED` sets the first seed.
    package func checkFuzzed(_ name: String, _ body: Data) throws {
        let tree = try JSONTree(String(decoding: body, as: UTF8.self))
        Fuzzing.run(cases: 60, name) { seed, generator in
            var changed = tree
            for _ in 0..<Int.random(in: 0...3, using: &generator) { changed = changed.changed(&generator) }
            let text = changed.text(&generator)
            // Skips numbers in unusual forms, because Foundation doesn't tell how a number was written.
            if ["4174.0", "1e3", "1e400"].contains(where: text.contains) { return }
            let (ours, theirs) = (outcome(client, Data(text.utf8)), outcome(foundation, Data(text.utf8)))
            #expect(ours.isSame(as: theirs), "seed \(seed) of \(name): \(text) as \(ours)")
        }
    }
}
