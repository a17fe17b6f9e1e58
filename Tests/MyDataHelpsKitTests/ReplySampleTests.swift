import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Documentation samples: responses", .serialized)
struct ReplySampleTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    private func text(_ name: String) throws -> String {
        String(decoding: try sample(name), as: UTF8.self)
    }

    @Test("Providers decode from a page and from version 1's array, with and without a logo, one disabled")
    func providers() async throws {
        mdh.answer("GET /api/v1/delegated/externalaccountproviders", try text("externalaccountproviders_page0_200"))
        mdh.answer("GET /api/v1/delegated/externalaccountproviders", try text("externalaccountproviders_array_1x_200"))

        let page: ExternalAccountProvidersResultPage =
            try await mdh.session.queryExternalAccountProviders(ExternalAccountProvidersQuery())
        let older: ExternalAccountProvidersResultPage =
            try await mdh.session.queryExternalAccountProviders(ExternalAccountProvidersQuery())

        let stepBand = ExternalAccountProvider(
            id: ExternalAccountProvider.ID(3), name: "StepBand", category: .deviceManufacturer)
        #expect(
            page
                == ExternalAccountProvidersResultPage(
                    externalAccountProviders: [
                        ExternalAccountProvider(
                            id: ExternalAccountProvider.ID(812), name: "Åre Hälsocentral",
                            logoLink: "https://assets.example.org/are.png"), stepBand,
                        ExternalAccountProvider(
                            id: ExternalAccountProvider.ID(4), name: "No Logo Plan", category: .healthPlan),
                        ExternalAccountProvider(
                            id: ExternalAccountProvider.ID(900), name: "Pharmacy One",
                            category: ExternalAccountProviderCategory(rawValue: "Pharmacy"), isEnabled: false,
                            message: "Unavailable"),
                    ], totalCount: 9))
        #expect(
            older == ExternalAccountProvidersResultPage(externalAccountProviders: [stepBand], totalCount: 1))
    }

    @Test("The address for signing in keeps its percent-encoding")
    func connect() async throws {
        mdh.answer("POST /api/v1/delegated/externalaccountproviders", try text("externalaccountprovider_connect_200"))

        let authorization: ExternalAccountAuthorization = try await mdh.session.connectExternalAccount(
            providerID: ExternalAccountProvider.ID(812), finalRedirectURL: try url("myapp://done"))

        #expect(
            authorization.authorizationURL.absoluteString
                == "https://mydatahelps.org/external/authorize?ticket=2f6f1a%2Bb&provider=812")
        #expect(authorization.providerID.value == 812)
    }

    @Test("A call without a result accepts any success, whatever its body", arguments: [200, 201, 202, 204])
    func noResult(status: Int) async throws {
        func succeed() {
            mdh.sandbox.server.script.next(
                respond: ServerResponse(status: status, body: status == 204 ? Data() : Data("<not JSON".utf8)))
        }

        succeed()
        try await mdh.session.persistDeviceData([EndpointCase.point])
        succeed()
        try await mdh.session.deleteSurveyResult(EndpointCase.resultID)
        succeed()
        try await mdh.session.refreshExternalAccount(ExternalAccount.ID(5501))
        succeed()
        try await mdh.session.deleteExternalAccount(ExternalAccount.ID(5501))

        #expect(mdh.sandbox.server.script.remaining == 0 && mdh.targets.count == 4)
    }
}
