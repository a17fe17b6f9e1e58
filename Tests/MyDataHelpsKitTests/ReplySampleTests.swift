import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Documentation samples: responses", .serialized)
struct ReplySampleTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    @Test("The address for signing in keeps its percent-encoding")
    func connect() async throws {
        mdh.answer(
            "POST /api/v1/delegated/externalaccountproviders",
            String(decoding: try sample("externalaccountprovider_connect_200"), as: UTF8.self))

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
