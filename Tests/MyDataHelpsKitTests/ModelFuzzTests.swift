import Foundation
import MyDataHelpsKit
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

extension ModelFuzz {
    private static func path(_ error: any Error) -> String? {
        let unreadable = (error as? DecodingError).map { UnreadableReply($0) } ?? error as? UnreadableReply
        guard case .unexpected(let path, _)? = unreadable else { return nil }
        return path
    }

    /// Compares how a sample decodes by the client and by Foundation, after random changes.
    private static func check<Model, Parts: Equatable>(
        _ name: String, _ parts: (Model) -> (Parts, [UnreadableItem]), client: (HTTPReply) throws -> Model,
        foundation: (Data) throws -> Model
    ) throws {
        let address = try url("https://example.org/")
        try check(
            String(decoding: sample(name), as: UTF8.self), name, path: path,
            client: { parts(try client(HTTPReply(url: address, status: 200, body: $0))) },
            foundation: { parts(try foundation($0)) })
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
