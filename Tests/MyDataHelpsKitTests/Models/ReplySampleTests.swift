import Foundation
import MyDataHelpsKit
import Testing

@Suite("Samples that are more than a model")
struct ReplySampleTests {
    private func text(_ name: String) throws -> String {
        String(decoding: try sample(name), as: UTF8.self)
    }

    @Test("Providers with and without a logo, one switched off, as a page and as the array of version 1")
    func providers() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        mdh.answer("GET /api/v1/delegated/externalaccountproviders", try text("externalaccountproviders_page0_200"))
        mdh.answer("GET /api/v1/delegated/externalaccountproviders", try text("externalaccountproviders_array_1x_200"))

        let page: ExternalAccountProvidersResultPage =
            try await mdh.session.queryExternalAccountProviders(ExternalAccountProvidersQuery())
        let older: ExternalAccountProvidersResultPage =
            try await mdh.session.queryExternalAccountProviders(ExternalAccountProvidersQuery())

        #expect(page.totalCount == 9)
        #expect(page.map(\.id.value) == [812, 3, 4, 900])
        #expect(page.map { $0.logoURL != nil } == [true, false, false, false])
        #expect(page[0].name == "Åre Hälsocentral")
        #expect(page[3].isEnabled == false && page[3].message == "Unavailable")
        #expect(older.map(\.name) == ["StepBand"])
    }

    @Test("A connection's address is taken as it is, escapes included")
    func connect() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        mdh.answer("POST /api/v1/delegated/externalaccountproviders", try text("externalaccountprovider_connect_200"))

        let authorization: ExternalAccountAuthorization = try await mdh.session.connectExternalAccount(
            providerID: ExternalAccountProvider.ID(812), finalRedirectURL: try url("myapp://done"))

        #expect(
            authorization.authorizationURL.absoluteString
                == "https://mydatahelps.org/external/authorize?ticket=2f6f1a%2Bb&provider=812")
        #expect(authorization.providerID.value == 812)
    }

    @Test("A refusal's words are in the error")
    func refusal() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        mdh.answer("GET /api/v1/delegated/participant", status: 401, try text("error_401_object"))

        let error = await #expect(throws: MyDataHelpsError.self) {
            let _: ParticipantInfo = try await mdh.session.getParticipantInfo()
        }

        #expect("\(String(describing: error))".contains("Authorization has been denied"))
    }
}
