import Foundation
import MyDataHelpsKit
import PledgeHTTP
import PledgeTestSupport
import Testing

/// Samples with random changes: beginning with the seed `PLEDGE_FUZZ_SEED`.
@Suite("Randomly changed models, decoded by the client and by Foundation", .serialized)
struct ModelFuzzTests {
    @Test("Pages decode alike", arguments: EndpointCase.all)
    func pages(endpoint: EndpointCase) throws {
        for sample in endpoint.samples { try endpoint.checkFuzzed(sample) }
    }

    private struct Settings: Equatable {
        var enabled: [String: Bool]
        var types: Set<QueryableDeviceDataType>
        var end: Date?
    }

    @Test("Single models decode alike")
    func single() throws {
        for name in ["participant_200", "participant_1x_200"] {
            try ModelFuzz.check(ParticipantInfo.self, name) { ($0, []) }
        }
        for name in ["project_200", "project_sparse_200"] { try ModelFuzz.check(ProjectInfo.self, name) { ($0, []) } }
        try ModelFuzz.check([ExternalAccount].self, "externalaccounts_200") { ($0, []) }
        try ModelFuzz.check([ExternalAccountProvider].self, "externalaccountproviders_array_1x_200") { ($0, []) }
        for name in ["datacollectionsettings_200", "datacollectionsettings_newer_200"] {
            try ModelFuzz.check(ProjectDataCollectionSettings.self, name) {
                (
                    Settings(
                        enabled: $0.enabled, types: $0.queryableDeviceDataTypes, end: $0.sensorDataCollectionEndDate),
                    $0.unreadable
                )
            }
        }
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
            case (.failed(let path), .failed(let theirPath)):
                theirPath == nil || path == theirPath
                    || [path, theirPath].allSatisfy { $0?.hasSuffix("Enabled") ?? false }
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
    private static func check<Model, Parts: Equatable>(
        _ name: String, _ parts: (Model) -> (Parts, [UnreadableItem]), client: (HTTPReply) throws -> Model,
        foundation: (Data) throws -> Model
    ) throws {
        let address = try url("https://example.org/")
        let tree = try JSONTree(String(decoding: try sample(name), as: UTF8.self))
        Fuzzing.run(cases: 60, name) { seed, generator in
            var changed = tree
            for _ in 0..<Int.random(in: 0...3, using: &generator) { changed = changed.changed(&generator) }
            let text = changed.text(&generator)
            // Foundation does not tell how a number was written.
            if ["4174.0", "1e3", "1e400"].contains(where: text.contains) { return }
            let body = Data(text.utf8)
            let ours = outcome { parts(try client(HTTPReply(url: address, status: 200, body: body))) }
            let theirs = outcome { parts(try foundation(body)) }
            #expect(ours.isSame(as: theirs), "seed \(seed) of \(name): \(text) as \(ours)")
        }
    }

    static func check<Model: Decodable, Parts: Equatable>(
        _ type: Model.Type, _ name: String, _ parts: (Model) -> (Parts, [UnreadableItem])
    ) throws {
        try check(name, parts, client: { try $0.json(type) }, foundation: { try JSONDecoder().decode(type, from: $0) })
    }

    private struct PageParts<Item: Equatable>: Equatable {
        var items: [Item]
        var next: String?
    }

    /// Compares pages of a list, unless their type cannot be decoded without its query.
    static func check<Query: PagedQuery>(_ query: Query, _ name: String) throws where Query.Page.Element: Equatable {
        guard let type = Query.Page.self as? any Decodable.Type else { return }
        let endpoint = query.endpoint
        try check(
            name,
            { page in
                (PageParts(items: page.items, next: (page as? any ResultPageWithID)?.nextPage), page.unreadable)
            }, client: { try endpoint.decode($0) },
            foundation: { try #require(try JSONDecoder().decode(type, from: $0) as? Query.Page) })
    }
}

extension ResultPageWithID {
    fileprivate var nextPage: String? { nextPageID?.value }
}
