import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("External accounts", .serialized)
struct ExternalAccountTests {
    // This clock ends every wait at once, except waits of more than 500 seconds, which never end. Those are the
    // deadlines, which these tests must not reach.
    private let clock = InstantTimekeeper(start: MyDataHelpsCase.noon, longest: 500)
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase(timekeeper: clock.timekeeper) }

    private let stepBand = ExternalAccount.ID(5501)

    @Test("An external account that can't be decoded is left out of the list, and reported in the page")
    func page() async throws {
        let good = #"{"id": 1, "status": "error", "provider": {"id": 2, "name": "P", "category": "Provider"}}"#
        for _ in 0..<2 { mdh.answer("/api/v1/delegated/externalaccounts", "[{}, \(good)]") }
        #expect(try await mdh.session.listExternalAccounts().count == 1)
        let page = try await mdh.session.externalAccountsPage().value
        #expect(page.map(\.id) == [ExternalAccount.ID(1)] && page.unreadable.map(\.reason) == ["id is missing"])
    }

    @Test(
        "Only a secure sign-in address is returned to the app",
        arguments: [
            ("https://provider.example/sign-in?ticket=2f%2Bb", true), ("HTTPS://provider.example:8443/", true),
            ("http://127.0.0.1:1/sign-in", true), ("http://provider.example/sign-in", false),
            ("javascript:alert(1)", false), ("javascript://provider.example/%0aalert(1)", false),
            ("data:text/html,<script>alert(1)</script>", false), ("file:///etc/passwd", false),
            ("tel:112", false), ("myapp://connected", false), ("intent://x#Intent;end", false),
            ("https:///sign-in", false), ("https:provider.example", false), ("//provider.example/", false),
            ("https://provider.example@evil.example/", false), ("http://127.0.0.1.evil.example/", false), ("", false),
            ("sign in", false),
        ])
    func addresses(address: String, isHandedOver: Bool) async throws {
        mdh.sandbox.server.script.next(
            matching: "POST /api/v1/delegated/externalaccountproviders/3/connect", respond: .json(.string(address)))
        let call: Promise<ExternalAccountAuthorization> = mdh.session.connectExternalAccount(
            providerID: ExternalAccountProvider.ID(3), finalRedirectURL: try url("myapp://connected"))
        let result = await call.settled().value
        switch result {
        case .success(let authorization):
            #expect(isHandedOver && authorization.authorizationURL.absoluteString == address)
            #expect(authorization.providerID.value == 3)
        case .failure(let error):
            #expect(!isHandedOver)
            #expect("\(error)".contains("connect failed"), "\(error)")
        }
    }

    @Test(
        "Following a refresh ends when the refresh completes or the provider reports an error, which isn't thrown",
        arguments: [
            (5501, 4, ExternalAccountStatus.fetchComplete, [4, 4, 4, 600]), (5502, -3, .error, [0, 0, 0, 600]),
        ])
    func following(id: Int, seconds: Double, status: ExternalAccountStatus, waits: [Double]) async throws {
        try await mdh.session.refreshExternalAccount(ExternalAccount.ID(id))
        let account = try await mdh.session.followExternalAccount(ExternalAccount.ID(id), every: seconds)
        #expect(account.status == status && clock.waits.sorted() == waits, "\(clock.waits)")
        #expect(status == .error || account.lastRefreshDate == clock.now)
        #expect(mdh.targets.first == "POST /api/v1/delegated/externalaccounts/refresh/\(id)")
    }

    @Test(
        "An account that seems idle at first is checked again, because the service may not have begun to fetch",
        arguments: [["fetchComplete", "fetchingData", "fetchComplete"], ["fetchComplete", "fetchComplete"]])
    func lookingTwice(statuses: [String]) async throws {
        for status in statuses {
            mdh.answer(
                "/api/v1/delegated/externalaccounts",
                #"[{"id":5501,"status":"\#(status)","lastRefreshDate":"","#
                    + #""provider":{"id":3,"name":"StepBand","category":"Device Manufacturer"}}]"#)
        }
        mdh.sandbox.server.script.next(respond: .empty(401))
        let account = try await mdh.session.followExternalAccount(stepBand)
        #expect(account.status == .fetchComplete && mdh.targets.count == statuses.count)
        #expect(clock.waits.sorted() == statuses.map { _ in 10 } + [600])
    }

    @Test("Following an account that doesn't exist fails with an error that says so")
    func gone() async throws {
        let error = await thrown(MyDataHelpsError.self) {
            try await mdh.session.followExternalAccount(ExternalAccount.ID(1))
        }
        #expect(error?.description.contains("the participant has no account 1, or no longer has it") == true)
    }

    @Test("Following an account ends at the deadline, and canceling it ends the checks")
    func givingUp() async throws {
        let clock = ManualTimekeeper(start: MyDataHelpsCase.noon)
        let mdh = try MyDataHelpsCase(timekeeper: clock.timekeeper)
        let slow: Promise<ExternalAccount> = mdh.session.followExternalAccount(stepBand, every: 100, deadline: 60)
        let unwanted: Promise<ExternalAccount> = mdh.session.followExternalAccount(stepBand)
        unwanted.cancel()
        clock.advance(by: 61)
        let error = await thrown(MyDataHelpsError.self) { try await slow.value }
        await #expect(throws: (any Error).self) { try await unwanted.value }
        clock.advance(by: 1000)
        #expect(error?.name == "timedOut")
        #expect(clock.alarmCount == 0 && mdh.targets.isEmpty && Set(clock.requested) == [100, 60, 10, 600])
    }

    @Test(
        "If the service sends no total, a page of providers counts the items so far, plus one if the page is full",
        arguments: [2: 11, 3: 14])
    func total(limit: Int, total: Int) throws {
        let response = try decode(
            ExternalAccountProvidersResultPage.APIResponse.self,
            #"{"externalAccountProviders": [{"id": 1, "name": "a"}, {}]}"#)
        let query = ExternalAccountProvidersQuery(limit: limit, pageNumber: 4)
        #expect(ExternalAccountProvidersResultPage(result: response, query: query).totalCount == total)
        #expect(response.totalExternalAccountProviders == -1)
        let all = try decode(ExternalAccountProvidersResultPage.APIResponse.self, #"[{"id": 1, "name": "a"}, {}]"#)
        #expect(all.totalExternalAccountProviders == 2)
        let known = try read(ExternalAccountProvidersResultPage.APIResponse.self, "externalaccountproviders_page0_200")
        #expect(ExternalAccountProvidersResultPage(result: known, query: query).totalCount == 9)
        let none = #"{"totalExternalAccountProviders": 0, "externalAccountProviders": []}"#
        let last = ExternalAccountProvidersQuery(pageNumber: .max)
        let page = ExternalAccountProvidersResultPage(
            result: try decode(ExternalAccountProvidersResultPage.APIResponse.self, none), query: last)
        #expect(page.totalCount == 0 && last.page(after: page) == nil)
    }

    @Test("The pages of providers end when the total is reached, not one page later, and keep their filters")
    func lastPage() async throws {
        let query = ExternalAccountProvidersQuery(category: .provider, limit: 1)
        let all = try await mdh.session.pages(query).items().value
        #expect(all.count == mdh.targets.count && all.count > 1 && all.allSatisfy { $0.category == .provider })
    }

    @Test("If the total of providers is missing or too small, the list is still read until a page is empty")
    func wrongTotal() async throws {
        for total in ["", #""totalExternalAccountProviders": 1, "#] {
            for (first, count) in [(0, 2), (2, 2), (4, 1), (5, 0)] {
                let items = (first..<first + count).map {
                    #"{"id": \#($0), "name": "p\#($0)", "category": "Provider"}"#
                }
                mdh.answer(
                    "GET /api/v1/delegated/externalaccountproviders",
                    "{\(total)\"externalAccountProviders\": [\(items.joined(separator: ", "))]}")
            }
            let all = try await mdh.session.pages(ExternalAccountProvidersQuery(limit: 2)).items().value
            #expect(all.map(\.name) == ["p0", "p1", "p2", "p3", "p4"])
        }
    }

    @Test(
        "If the service ignores the page number, the list fails at the second page, even if the totals would agree",
        arguments: ["", #""totalExternalAccountProviders": 4, "#, #""totalExternalAccountProviders": 900, "#])
    func ignoredPageNumber(total: String) async throws {
        let items = [1, 2].map { #"{"id": \#($0), "name": "p", "category": "Provider"}"# }.joined(separator: ", ")
        for _ in 0..<5 {
            mdh.answer(
                "GET /api/v1/delegated/externalaccountproviders", "{\(total)\"externalAccountProviders\": [\(items)]}")
        }
        let error = await mdh.session.pages(ExternalAccountProvidersQuery(limit: 2)).items().failure()
        let failure = try #require(error as? MyDataHelpsError)
        #expect(failure.name == "decodingError" && mdh.targets.count == 2)
        #expect(failure.description.contains("page 1 has the same items as the page before it"), "\(failure)")
    }

    @Test("Version 1's call returns all providers at once")
    func versionOne() async throws {
        let providers = try await finish {
            mdh.session.queryExternalAccountProviders(ExternalAccountProvidersQuery(limit: 5), completion: $0)
        }.get()
        #expect(providers.count == 125)
        #expect(mdh.targets == ["GET /api/v1/delegated/externalaccountproviders"])
    }

    @Test(
        "An address counts as the final redirect if its scheme, host, port, and path equal those of the expected address",
        arguments: [
            ("https://my.app/done", "https://my.app/done", true),
            ("https://my.app/done", "HTTPS://My.App:443/done?a=b#c", true),
            ("https://my.app/done", "https://my.app/done/", false),
            ("https://my.app/done", "http://my.app/done", false),
            ("https://my.app/done", "https://evil.app/done", false),
            ("https://my.app/done", "https://my.app:8443/done", false),
            ("https://my.app/done", "https://my.app/other", false), ("https://my.app", "https://my.app/", true),
            ("https://my.app/a%20b", "https://my.app/a%20b?x=1", true),
            ("myapp://done/now?from=settings", "myapp://done/now?from=settings&status=connected", true),
            ("myapp://done", "myapp://done?status=ok", true),
            ("myapp://done", "myapp://undone", false), ("myapp:done", "myapp:done", true),
            ("myapp://done/x", "myapp:done/x", false), ("myapp:done", "myapp://done", false),
            ("https://my.app/done", "https://user@my.app/done", true),
        ])
    func redirects(wanted: String, opened: String, isIt: Bool) throws {
        let provider = ExternalAccountProvider(id: .init(3), name: "StepBand")
        let authorization = ExternalAccountAuthorization(
            providerID: provider.id, provider: provider, authorizationURL: try url("https://a.example/"),
            finalRedirectURL: try url(wanted))
        #expect(authorization.isFinalRedirect(try url(opened)) == isIt && authorization.provider == provider)
    }
}
