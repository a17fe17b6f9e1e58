import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Service accounts", .serialized)
struct ServiceAccountTests {
    private let clock = ManualTimekeeper(start: MyDataHelpsCase.noon)
    private let mdh: MyDataHelpsCase
    init() throws {
        mdh = try MyDataHelpsCase(timekeeper: clock.timekeeper) { $1 == Data("signed ".utf8) + $0 }
    }

    private func account(_ name: String? = nil) -> ServiceAccount {
        ServiceAccount(name: name ?? mdh.sandbox.serviceAccount, client: mdh.client) { Data("signed ".utf8) + $0 }
    }

    private var posts: Int { mdh.sandbox.server.requests.filter { $0.method == "POST" }.count }

    @Test("A service account lists a project's participants, even if its token expires meanwhile")
    func people() async throws {
        let account = self.account()
        let query = ProjectParticipantsQuery(project: Project.ID(mdh.sandbox.projectID), limit: 60)
        var all: [ProjectParticipant] = []
        for try await page in account.pages(query) {
            #expect(page.totalCount == 240 && page.count == 60)
            all += page
            clock.advance(by: 400)
        }
        #expect(Set(all.map(\.id)).count == 240)
        #expect(all.allSatisfy { $0.isEnrolled == ($0.withdrawDate == nil) && $0.customFields["ARM"] != nil })
        #expect(Set(all.map(\.isEnrolled)) == [true, false] && Set(all.map(\.isExcludedFromExport)) == [true, false])
        #expect(posts == 4)
        #expect(try decode(ProjectParticipantsPage.self, #"{"participants": []}"#).totalCount == nil)
        #expect(try await account.participant(all[0].participantIdentifier, in: query.project).value == all[0])
        let own = ParticipantSession(client: mdh.client, tokens: account.tokens(for: all[7].id))
        #expect(try await own.getParticipantInfo().participantIdentifier == all[7].participantIdentifier)
    }

    @Test("If the contents of a token request expire while the request waits for a limit, it is made again once")
    func expiredWhileWaiting() async throws {
        func answerLate(_ error: String) {
            mdh.sandbox.server.script.next(matching: "POST") { [clock] _ in
                clock.advance(by: 400)
                return .json(["error": .string(error)], status: 400)
            }
        }
        let account = self.account()
        answerLate("invalid_client")
        _ = try await account.serviceToken().value
        #expect(posts == 2)
        answerLate("invalid_grant")
        let id = ParticipantInfo.ID(mdh.sandbox.participantID)
        _ = try await account.participantToken(for: id).value
        #expect(posts == 5)
        // A refusal for another reason is not repeated.
        mdh.sandbox.server.script.next(matching: "POST") { _ in .json(["error": "invalid_grant"], status: 400) }
        #expect(await account.participantToken(for: id).failure() != nil && posts == 6)
        answerLate("invalid_client")
        answerLate("invalid_client")
        #expect(await self.account().serviceToken().failure() != nil && posts == 8)
    }

    @Test("If the service ignores the page number, the list of participants fails at the second page")
    func ignoredPageNumber() async throws {
        let page = #"{"totalParticipants": 2, "participants": [{"id": "a", "participantIdentifier": "p"}]}"#
        for _ in 0..<3 { mdh.answer("GET /api/v1/administration/", page) }
        let query = ProjectParticipantsQuery(project: Project.ID(mdh.sandbox.projectID), limit: 1)
        let error = await account().pages(query).items().failure()
        #expect("\(String(describing: error))".contains("page 1 has the same items as the page before it"))
        #expect(mdh.targets.count { $0.hasPrefix("GET ") } == 2)
    }

    @Test("Token requests and responses match the samples; each assertion is new and names the token endpoint")
    func samples() async throws {
        _ = try await account().serviceToken().value
        for name in ["token_service_200", "token_participant_200"] {
            mdh.sandbox.server.script.next(respond: ServerResponse(status: 200, body: try sample(name)))
        }
        let wanted = try read([String: String].self, "token_participant_request_form")
        let form = try read([String: String].self, "token_service_request_form")
        let scopes = wanted["scope"]?.split(separator: " ").map(String.init) ?? []
        let account = self.account()

        let token = try await account.participantToken(
            for: ParticipantInfo.ID(wanted["participant_id"] ?? ""), scopes: scopes
        ).value
        let service = try await account.serviceToken().value

        #expect(service.value == "eyJhbGciOiJSUzI1NiJ9.service.sample" && service.lifetime == 300)
        #expect(token.value == "eyJhbGciOiJSUzI1NiJ9.participant.sample" && token.lifetime == 21_600)
        #expect(token.expires == MyDataHelpsCase.noon + 21_600 && !"\(token) \(account)".contains(token.value))
        let requests = mdh.sandbox.server.requests
        for (name, value) in wanted { #expect(requests.last?.formValue(name) == value) }
        let claims = try requests.dropLast().map { request -> [String: JSONValue] in
            for (name, value) in form where name != "client_assertion" { #expect(request.formValue(name) == value) }
            let parts = try #require(request.formValue("client_assertion")).split(separator: ".").map(String.init)
            #expect(try part(parts[0]) == read([String: JSONValue].self, "token_service_jwt_header"))
            #expect(parts.count == 3)
            return try part(parts[1])
        }
        let (first, keys) = (claims[0], try read([String: JSONValue].self, "token_service_jwt_claims").keys)
        #expect(
            claims.allSatisfy { Set($0.keys) == Set(keys) } && claims.count == 2 && first["jti"] != claims[1]["jti"])
        #expect(first["iss"] == .string(mdh.sandbox.serviceAccount) && first["sub"] == first["iss"])
        #expect(first["aud"] == .string("\(mdh.sandbox.baseURL)identityserver/connect/token"))
        #expect(first["exp"] == .integer(1_709_377_400))
    }

    @Test(
        "An identifier that would lead to another resource is rejected, and nothing is sent",
        arguments: ["", ".", ".."])
    func misleading(_ id: String) async throws {
        let (account, project) = (self.account(), Project.ID(mdh.sandbox.projectID))
        let list = ProjectParticipantsQuery(project: Project.ID(id))
        for promise in [
            account.participant(id, in: project).asVoid(), account.participant("a", in: Project.ID(id)).asVoid(),
            account.page(list).asVoid(), account.pages(list).items().asVoid(),
        ] {
            let error = await thrown(MyDataHelpsError.self) { try await promise.value }
            #expect("\(String(describing: error))".contains("the path has a segment “.” or “..”"))
        }
        if id.isEmpty {
            await #expect(throws: MyDataHelpsError.self) {
                try await account.participantToken(for: ParticipantInfo.ID(id)).value
            }
        }
        #expect(mdh.sandbox.server.requests.isEmpty)
    }

    @Test(
        "A token lifetime that is missing or can't be read counts as two minutes; a lifetime that is sent as text is read",
        arguments: [("\"600\"", 600), ("\"soon\"", 120), ("true", 120), ("{}", 120), ("null", 120), ("600.5", 600.5)])
    func lifetime(_ json: String, _ seconds: Double) async throws {
        mdh.sandbox.server.script.next(respond: .text(#"{"access_token":"fresh","expires_in":\#(json)}"#))
        #expect(try await account().serviceToken().value.lifetime == seconds)
    }

    /// Decodes a part of a signed assertion.
    private func part(_ text: String) throws -> [String: JSONValue] {
        let usual = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padded = usual + String(repeating: "=", count: (4 - usual.count % 4) % 4)
        return try JSONDecoder().decode([String: JSONValue].self, from: #require(Data(base64Encoded: padded)))
    }

    @Test(
        "All callers share a token until the last fifth or the last minute of its lifetime begins, whichever is longer",
        arguments: [(300, 60), (120, 60), (1000, 200), (60, 30), (20, 10)])
    func caching(lifetime: Int, margin: Int) async throws {
        let (account, token) = (self.account(), Counter())
        mdh.sandbox.server.script.next(2, matching: "/identityserver/connect/token") { _ in
            .json(["access_token": .string("t\(token.next())"), "expires_in": .integer(lifetime)])
        }
        let together = try await when(fulfilled: (0..<10).map { _ in account.serviceToken() }).value
        clock.advance(by: TimeInterval(lifetime - margin - 1))
        let later = try await account.serviceToken().value
        #expect(Set((together + [later]).map(\.value)) == ["t1"] && posts == 1)
        clock.advance(by: 1)
        #expect(try await account.serviceToken().value.value == "t2" && posts == 2)
    }

    @Test("A session on a server renews its participant's token before it expires and after it is refused")
    func source() async throws {
        let tokens = account().tokens(for: ParticipantInfo.ID(mdh.sandbox.participantID))
        let session = ParticipantSession(client: mdh.client, tokens: tokens)
        _ = try await session.getParticipantInfo()
        _ = try await session.getParticipantInfo()
        #expect(posts == 2)
        mdh.sandbox.expireToken(try await tokens.token().value)
        _ = try await session.getParticipantInfo()
        #expect(posts == 3)
        clock.advance(by: 20_000)
        _ = try await session.getParticipantInfo()
        #expect(posts == 5)
    }

    @Test("An empty token, a refusal, a wrong name or signature, and a failing key lead to clear errors")
    func failures() async throws {
        let forged = ServiceAccount(name: mdh.sandbox.serviceAccount, client: mdh.client) { $0 }
        let keyless = ServiceAccount(name: mdh.sandbox.serviceAccount, client: mdh.client) { _ in
            throw Fault("the key is not there")
        }
        mdh.sandbox.server.script.next(respond: .json(["access_token": "", "token_type": "Bearer", "expires_in": 120]))
        await #expect(throws: MyDataHelpsError.self) { try await account().serviceToken().value }
        mdh.sandbox.server.script.next(respond: ServerResponse(status: 400, body: try sample("token_error_400")))
        for account in [account(), account("Nobody"), forged] {
            let error = await thrown(MyDataHelpsError.self) { try await account.serviceToken().value }
            #expect(error?.description.contains("answered 400, saying “invalid_client") == true)
        }
        let error = await thrown(MyDataHelpsError.self) { try await keyless.serviceToken().value }
        #expect(error?.description == "The request was not sent: the key is not there.")
        let participant = await thrown(MyDataHelpsError.self) {
            try await account().participantToken(for: ParticipantInfo.ID("nobody")).value
        }
        #expect(participant?.description.contains("answered 400") == true)
    }
}
