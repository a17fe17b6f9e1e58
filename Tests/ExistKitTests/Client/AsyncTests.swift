import ExistKit
import Foundation
import PledgeSandbox
import Testing

@Suite("Every call with await, where an asynchronous context prefers it by itself", .serialized)
struct AsyncTests {
    @Test("Reading")
    func reading() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let existAPI = exist.existAPI
        let today = try day(SandboxCase.today)

        let user = try await existAPI.user().user
        let (week, response) = try await existAPI.attributes(names: ["steps"])
        let days = try await existAPI.attributes(names: ["steps"], from: today.advanced(by: -1), through: today)
        let attributes = try await existAPI.attributes(on: today).attributes
        let history = try await existAPI.history(of: week[0]).attribute
        let tags = try await existAPI.tags(on: today).tags
        let insights = try await existAPI.insights(limit: 3).insights
        let recent = try await existAPI.insights(days: 7).insights
        let averages = try await existAPI.averages(for: "steps", limit: 2).averages
        let correlations = try await existAPI.correlations(limit: 5).correlations
        let pair = try await existAPI.correlation(between: correlations[0].attribute, and: correlations[0].attribute2)
        let page = try await existAPI.page(.owned()).page
        let templates = try await existAPI.all(.templates()).items

        #expect(user.username == exist.sandbox.username)
        #expect(week[0].values.count == 7 && (response as? HTTPURLResponse)?.statusCode == 200)
        #expect(days.attributes[0].values.map(\.day) == [today, today.advanced(by: -1)])
        #expect(attributes.count > 30 && history.values.count == 365)
        #expect(tags.allSatisfy { $0.group.name == "custom" })
        #expect(insights.results.count == 3 && !recent.results.isEmpty && averages.count == 2)
        #expect(pair.correlation?.value == correlations[0].value)
        #expect(page.count == 0 && templates.count > 50)
    }

    @Test("Writing")
    func writing() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let existAPI = exist.existAPI
        let today = try day(SandboxCase.today)
        let updates = [IntAttributeUpdate(name: "mood", day: today, value: 7)]

        let named = try await existAPI.acquire(names: ["mood", "guitar"]).attributeResponse
        let templates = try await existAPI.acquire(templates: ["gaming_min"], manual: false).attributeResponse
        let claims = try await existAPI.acquire([.name("steps")], successObjects: true).attributeResponse
        let made = try await existAPI.create([.custom(label: "Plants", group: "custom", valueType: .int)])
        let updated = try await existAPI.update(attributes: updates).attributeResponse
        let again = try await existAPI.updateAcquiringIfNeeded(attributes: updates).attributeResponse
        let added = try await existAPI.increment(attributes: [AttributeIncrement(name: "plants", by: 2)])
        let tags = try await existAPI.setTags(["guitar"], on: today).attributeResponse
        let released = try await existAPI.release(names: ["mood"]).attributeResponse

        #expect(named.success.count == 2 && templates.success.count == 1)
        #expect(claims.success.first?.attribute?.name == "steps")
        #expect(made.attributeResponse.success.map(\.name) == ["plants"])
        #expect(updated.success == again.success && updated.success.map(\.value) == [.integer(7)])
        #expect(added.attributeResponse.success.map(\.current) == [.integer(2)])
        #expect(tags.success.map(\.name) == ["guitar"] && released.success.map(\.name) == ["mood"])
    }

    @Test("Tokens")
    func tokens() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let sandbox = exist.sandbox
        let oauth = ExistOAuth(
            clientID: sandbox.clientID, clientSecret: sandbox.clientSecret, redirectURI: "app://back",
            baseURL: sandbox.baseURL,
            options: ExistAPI.usualOptions.with { $0.clock = .standing(at: SandboxCase.noon) })
        let signIn = try oauth.signIn(scopes: [.read("mood")])
        let redirect: HTTPReply = try await URLSessionTransport().send(OutgoingRequest(url: signIn.address)).value
        let location = try #require(redirect.headers["Location"].flatMap { URL(string: $0) })

        let first = try await oauth.token(for: signIn.code(from: location)).value
        let second = try await oauth.refresh(first).value
        let simple = try await ExistAPI.simpleToken(
            username: sandbox.username, password: sandbox.password, baseURL: sandbox.baseURL
        ).value

        #expect(first.accessToken != second.accessToken && second.scopes == ["mood_read"])
        #expect(simple == sandbox.simpleToken)
    }

    @Test("An awaited call throws ExistError, and the compiler knows")
    func typedThrow() async throws {
        let exist = try SandboxCase(token: "wrong")
        defer { exist.sandbox.stop() }
        do {
            _ = try await exist.existAPI.user()
            Issue.record("A wrong token was accepted")
        } catch {
            #expect(error.kind == .unauthorized)
        }
    }

    @Test("Cancelling the task ends the request, and no other is sent")
    func cancel() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let (arrived, seal) = Promise<Void>.pending()
        exist.sandbox.server.script.next(matching: "GET /api/2/attributes/with-values/") { _ in
            seal.fulfill()
            return SandboxResponse.empty(200).delayed(by: 3600)
        }
        let call = Task { () -> ExistError.Kind? in
            do throws(ExistError) {
                _ = try await exist.existAPI.attributes(limit: 100)
                return nil
            } catch {
                return error.kind
            }
        }
        try await arrived.value

        call.cancel()

        #expect(await call.value == .cancelled)
        #expect(exist.targets.count == 1)
    }

    @Test("Where nothing is awaited, the same words mean promises")
    func synchronous() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        func promised(_ existAPI: ExistAPI) -> Promise<Int> {
            let user = existAPI.user()
            let attributes = existAPI.attributes(names: ["steps"])
            return when(fulfilled: user, attributes).map { $1.attributes.count }
        }
        let closure = { existAPI in existAPI.averages(limit: 4) } as (ExistAPI) -> Promise<ExistAPI.AveragesReply>

        let counts = try await when(fulfilled: promised(exist.existAPI), closure(exist.existAPI)).value

        #expect(counts.0 == 1 && counts.1.averages.count == 4)
    }

    @Test("Attributes without any argument are the last week of all, not only today")
    func plainAttributes() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        _ = try await exist.existAPI.attributes()

        #expect(exist.targets == ["GET /api/2/attributes/with-values/?days=7&page=1&limit=100"])
    }
}
