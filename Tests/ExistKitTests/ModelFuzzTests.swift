import ExistKit
import Foundation
import PledgeTestSupport
import Testing

/// Samples with random changes: beginning with the seed `PLEDGE_FUZZ_SEED`.
@Suite("Randomly changed models, decoded by the client and by Foundation", .serialized)
struct ModelFuzzTests {
    @Test("Responses decode alike", arguments: EndpointCase.all)
    func responses(endpoint: EndpointCase) throws {
        for sample in endpoint.samples { try endpoint.checkFuzzed(sample) }
    }
}

extension ModelFuzz {
    private static func path(_ error: any Error) -> String? {
        let unreadable = (error as? DecodingError).map { UnreadableReply($0) } ?? error as? UnreadableReply
        guard case .unexpected(let path, _)? = unreadable else { return nil }
        return path
    }

    /// Compares how a sample decodes by the client and by Foundation, after random changes.
    static func check<Model: Decodable, Parts: Equatable>(
        _ type: Model.Type, _ name: String, _ parts: (Model) -> (Parts, [UnreadableItem])
    ) throws {
        try check(
            sample(name), name, path: path,
            client: { parts(try HTTPReply(url: ExistAPI.serviceURL, status: 200, body: $0).json(type)) },
            foundation: { parts(try JSONDecoder().decode(type, from: $0)) })
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
        _ type: WriteResult<Success>.Type, _ name: String
    ) throws {
        try check(type, name) { (WriteParts(success: $0.success, failed: $0.failed), $0.unreadable) }
    }
}
