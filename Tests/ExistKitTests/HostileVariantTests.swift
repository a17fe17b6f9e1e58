import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@Suite("A wrong value in any field of any sample")
struct HostileVariantTests {
    private static let needed: Set = [".failed", ".next", ".results", ".success", ".username"]

    private static let neededByItem: Set = [
        ".failed", ".failed[]", ".results", ".results[]", ".results[].attribute", ".results[].attribute2",
        ".results[].created", ".results[].date", ".results[].name", ".results[].type", ".results[].type.name",
        ".results[].user_attribute", ".results[].value", ".success", ".success[]", ".success[].name",
    ]

    /// Days and times, what may be no text at all, and what is not read.
    private static let strict: Set = [
        ".avatar", ".failed[].date", ".failed[].group", ".failed[].value_type", ".local_time", ".next",
        ".results[].available_services[].name", ".results[].created", ".results[].date", ".results[].group.name",
        ".results[].service.name", ".results[].target_date", ".results[].type.attribute.group.name",
        ".results[].type.attribute.name", ".results[].type.attribute.value_type", ".results[].values[].date",
        ".success[].active", ".success[].date",
    ]

    /// The endpoints that are not in the test: those of tokens, and those whose models others have.
    private static let without = [
        "POST auth/simple-token/", "POST oauth2/access_token", "GET correlations/combo/", "POST attributes/release/",
        "POST attributes/increment/", "GET attributes/owned/",
    ]

    private func check<Model: Decodable>(
        _ variants: inout HostileVariants, _ name: String, as type: Model.Type,
        _ reading: (Model) -> HostileVariants.Reading
    ) throws {
        try variants.check(name, try sample(name)) {
            reading(try HTTPReply(url: ExistAPI.serviceURL, status: 200, body: $0).json(type))
        }
    }

    private func check<Item: Decodable & Sendable & Equatable>(
        _ variants: inout HostileVariants, pageOf type: Item.Type, _ names: String...
    ) throws {
        for name in names {
            try check(&variants, name, as: ExistPage<Item>.self) {
                HostileVariants.Reading(
                    $0.results + [$0.totalCount, [$0.next, $0.previous]] as [any Equatable], $0.unreadable)
            }
        }
    }

    private func check<Item: Decodable & Sendable & Equatable>(
        _ variants: inout HostileVariants, write name: String, of type: Item.Type
    ) throws {
        try check(&variants, name, as: WriteResult<Item>.self) {
            HostileVariants.Reading($0.success + $0.failed as [any Equatable], $0.unreadable)
        }
    }

    @Test("It is what was sent, or as good as none; the other fields are unchanged, and few lose their item or page")
    func variants() throws {
        var variants = HostileVariants()
        try check(&variants, pageOf: Attribute.self, "attributes_page1_200", "attributes_with_values_page1_200")
        try check(&variants, pageOf: AttributeTemplate.self, "attributes_templates_page1_200")
        try check(&variants, pageOf: Attribute.DayValue.self, "attributes_values_200")
        try check(&variants, pageOf: Insight.self, "insights_page1_200")
        try check(&variants, pageOf: Average.self, "averages_200")
        try check(&variants, pageOf: Correlation.self, "correlations_page1_200")
        try check(&variants, "profile_200", as: User.self) { HostileVariants.Reading([$0]) }
        try check(&variants, write: "update_202", of: UpdatedAttribute.self)
        try check(&variants, write: "acquire_202", of: SuccessfulAttribute.self)
        try check(&variants, write: "create_202", of: Attribute.self)

        // A group of which only the name was sent has the first priority.
        #expect(variants.silentChanges == [".results[].type.attribute.group: .type.attribute.group.priority is 0"])
        let missing = EndpointCase.all.filter { !$0.samples.isEmpty && variants.samples.isDisjoint(with: $0.samples) }
        #expect(missing.map(\.name) == Self.without)
        #expect(variants.needed == Self.needed)
        #expect(variants.neededByItem == Self.neededByItem)
        #expect(variants.strict == Self.strict)
    }
}
