import ExistKit
import Foundation
import PledgeHTTP
import PledgeTestSupport
import Testing

/// Samples with random changes: beginning with the seed `PLEDGE_FUZZ_SEED`.
@Suite("Randomly changed models, decoded by the client and by Foundation", .serialized)
struct ModelFuzzTests {
    @Test("Responses decode alike", arguments: EndpointCase.all)
    func responses(endpoint: EndpointCase) throws {
        for sample in endpoint.samples { try endpoint.checkFuzzed(sample) }
    }

    @Test("Users decode alike", arguments: ["profile_200", "profile_sparse_200"])
    func user(sample: String) throws {
        try ModelFuzz.check(User.self, sample) { ($0, []) }
    }
}

enum ModelFuzz {
    /// The parts of a decoded model and the items left out of it, or the path at which decoding failed.
    private enum Outcome<Parts: Equatable> {
        case read(Parts, [UnreadableItem])
        case failed(String?)

        /// Foundation does not report where a number is that a type cannot hold, and visits keys in no fixed order.
        func isSame(as foundation: Outcome) -> Bool {
            switch (self, foundation) {
            case (.read(let ours, let left), .read(let theirs, let theirLeft)):
                ours == theirs && left.count == theirLeft.count
                    && zip(left, theirLeft).allSatisfy { $0 == $1 || $0.index == $1.index && $1.reason == Self.vague }
            case (.failed(let path), .failed(let theirPath)): theirPath == nil || path == theirPath
            default: false
            }
        }

        private static var vague: String { "it holds a number that no Swift type can" }
    }

    private static func outcome<Parts>(_ read: () throws -> (Parts, [UnreadableItem])) -> Outcome<Parts> {
        do {
            let (parts, unreadable) = try read()
            return .read(parts, unreadable)
        } catch let error as DecodingError {
            return .failed(path(UnreadableReply(error)))
        } catch {
            return .failed((error as? UnreadableReply).flatMap(path))
        }
    }

    /// Returns only the path, because each decoder words its errors differently.
    private static func path(_ error: UnreadableReply) -> String? {
        guard case .unexpected(let path, _) = error else { return nil }
        return path
    }

    /// Compares how a sample decodes by the client and by Foundation, after random changes.
    static func check<Model: Decodable, Parts: Equatable>(
        _ type: Model.Type, _ name: String, _ parts: (Model) -> (Parts, [UnreadableItem])
    ) throws {
        let tree = try JSONTree(try sample(name))
        Fuzzing.run(cases: 60, name) { seed, generator in
            var changed = tree
            for _ in 0..<Int.random(in: 0...3, using: &generator) { changed = changed.changed(&generator) }
            let text = changed.text(&generator)
            // Foundation does not tell how a number was written.
            if ["4174.0", "1e3", "1e400"].contains(where: text.contains) { return }
            let body = Data(text.utf8)
            let reply = HTTPReply(url: ExistAPI.serviceURL, status: 200, body: body)
            let ours = outcome { parts(try reply.json(type)) }
            let theirs = outcome { parts(try JSONDecoder().decode(type, from: body)) }
            #expect(ours.isSame(as: theirs), "seed \(seed) of \(name): \(text) as \(ours)")
        }
    }

    private struct PageParts<Item: Equatable>: Equatable {
        var count: Int
        var links: [String?]
        var results: [Item]
    }

    static func check<Item: Decodable & Sendable & Equatable>(pagesOf type: Item.Type, _ name: String) throws {
        try check(ExistPage<Item>.self, name) {
            (PageParts(count: $0.totalCount, links: [$0.next, $0.previous], results: $0.results), $0.unreadable)
        }
    }

    private struct WriteParts<Success: Equatable>: Equatable {
        var success: [Success]
        var failed: [FailedAttribute]
    }

    static func check<Success: Decodable & Sendable & Equatable>(
        _ type: BatchResult<Success>.Type, _ name: String
    ) throws {
        try check(type, name) { (WriteParts(success: $0.success, failed: $0.failed), $0.unreadable) }
    }
}
