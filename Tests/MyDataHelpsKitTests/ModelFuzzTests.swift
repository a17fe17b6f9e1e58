import Foundation
import MyDataHelpsKit
import PledgeHTTP
import PledgeTestSupport
import Testing

/// Samples with random changes: beginning with the seed `PLEDGE_FUZZ_SEED`.
@Suite("Randomly changed models, decoded by the client and by Foundation", .serialized)
struct ModelFuzzTests {
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

    private func outcome<Parts>(_ read: () throws -> (Parts, [UnreadableItem])) -> Outcome<Parts> {
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
    private func path(_ error: UnreadableReply) -> String? {
        guard case .unexpected(let path, _) = error else { return nil }
        return path
    }

    private func check<Model: Decodable, Parts: Equatable>(
        _ type: Model.Type, _ names: [String], _ parts: (Model) -> (Parts, [UnreadableItem])
    ) throws {
        let address = try url("https://example.org/")
        for name in names {
            let tree = try JSONTree(String(decoding: try sample(name), as: UTF8.self))
            Fuzzing.run(cases: 60, name) { seed, generator in
                var changed = tree
                for _ in 0..<Int.random(in: 0...3, using: &generator) { changed = changed.changed(&generator) }
                let text = changed.text(&generator)
                // Foundation does not tell how a number was written.
                if ["4174.0", "1e3", "1e400"].contains(where: text.contains) { return }
                let body = Data(text.utf8)
                let reply = HTTPReply(url: address, status: 200, body: body)
                let ours = outcome { parts(try reply.json(type)) }
                let theirs = outcome { parts(try JSONDecoder().decode(type, from: body)) }
                #expect(ours.isSame(as: theirs), "seed \(seed) of \(name): \(text) as \(ours)")
            }
        }
    }

    private struct PageParts<Page: ResultPageWithID>: Equatable where Page.Element: Equatable {
        var items: [Page.Element]
        var next: ScopedIdentifier<Page, String>?
    }

    private func check<Page: ResultPageWithID>(pages: Page.Type, _ names: String...) throws
    where Page.Element: Equatable {
        try check(pages, names) { (PageParts<Page>(items: $0.items, next: $0.nextPageID), $0.unreadable) }
    }

    @Test("Pages decode alike")
    func pages() throws {
        try check(pages: DeviceDataResultPage.self, "devicedata_page1_200")
        try check(pages: SurveyTaskResultPage.self, "surveytasks_page1_200", "surveytasks_1x_200")
        try check(pages: SurveyAnswersPage.self, "surveyanswers_page1_200")
        try check(
            pages: NotificationHistoryPage.self, "notifications_page1_200", "notifications_failures_200",
            "notifications_unknown_type_200")
    }

    private struct Settings: Equatable {
        var enabled: [String: Bool]
        var types: Set<QueryableDeviceDataType>
        var end: Date?
    }

    @Test("Single models decode alike")
    func single() throws {
        try check(ParticipantInfo.self, ["participant_200", "participant_1x_200"]) { ($0, []) }
        try check(ProjectInfo.self, ["project_200", "project_sparse_200"]) { ($0, []) }
        try check([ExternalAccount].self, ["externalaccounts_200"]) { ($0, []) }
        try check([ExternalAccountProvider].self, ["externalaccountproviders_array_1x_200"]) { ($0, []) }
        try check(
            ProjectDataCollectionSettings.self, ["datacollectionsettings_200", "datacollectionsettings_newer_200"]
        ) {
            (
                Settings(
                    enabled: $0.enabled, types: $0.queryableDeviceDataTypes, end: $0.sensorDataCollectionEndDate),
                $0.unreadable
            )
        }
    }
}
