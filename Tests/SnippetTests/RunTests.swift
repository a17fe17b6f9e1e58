import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Compiles and runs code that the README and the articles show.
@Suite("Running code from the README and the articles", .serialized)
final class RunTests {
    private let sandbox: ExistSandbox
    private let existAPI: ExistAPI
    private let printed = Recorder<String>()
    private let print: @Sendable (Any...) -> Void

    init() throws {
        sandbox = try ExistSandbox.start()
        existAPI = ExistAPI(token: sandbox.token, timeout: 600, baseURL: sandbox.baseURL)
        print = { @Sendable [printed] (items: Any...) in
            printed.append(items.map { "\($0)" }.joined(separator: " "))
        }
    }

    deinit { sandbox.stop() }

    @Test("The README's first screen has both commands, and its chain is compiled here and has at most 15 lines")
    func sameText() throws {
        let readme = try Repository.text("README.md")
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let snippet = try #require(readme.swiftBlocks.first?.code)
        let chain = try #require(snippet.components(separatedBy: "token: \"…\")\n\n").dropFirst().first)
        #expect(snippet.split(separator: "\n", omittingEmptySubsequences: false).dropLast().count <= 15)
        let screen = readme.split(separator: "\n", omittingEmptySubsequences: false).prefix(40)
        for command in ["swift run pledge report", "swift test"] {
            #expect(screen.contains { $0.hasPrefix(command) })
        }
        // The test leaves out `waitOrExit`, which would end the process of all tests.
        #expect(source.unindented.contains(chain.unindented.replacingOccurrences(of: ".waitOrExit()", with: "")))
    }

    @Test("The chain in the README runs")
    func readme() async throws {
        let (existAPI, print) = (existAPI, print)
        let ended: Promise<Void> =
            // The README's chain begins here.
            existAPI.acquire(names: ["mood"]).then { acquired, _ in
                existAPI.update(attributes: [IntAttributeUpdate(name: "mood", date: Date(), value: 7)])
            }.then { updated, _ in
                existAPI.attributes(names: ["mood", "sleep"], days: 7)
            }.done { attributes, response in
                for attribute in attributes { print(attribute.label, "today:", attribute.values.first?.value ?? "–") }
            }
        try await ended.value
        #expect(printed.count == 2 && printed.all.contains("Mood today: 7"))
    }

    private struct NotAcquired: Error {}

    @Test("Chains that were written for the older client compile and succeed")
    @available(*, deprecated)
    func older() async throws {
        let (existAPI, print) = (existAPI, print)
        existAPI.attributes(names: ["steps", "mood"], limit: 12).done { attributes, response in
            #expect(attributes.map(\.name).sorted() == ["mood", "steps"])
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            print("values")
        }.catch { error in
            print(error)
        }
        existAPI.acquire(names: ["weight"]).then {
            attributeResponse, urlResponse -> Promise<ExistAPI.UpdateOutput> in
            guard attributeResponse.success.contains(where: { $0.name == "weight" }) else { throw NotAcquired() }
            return existAPI.update(attributes: [
                FloatAttributeUpdate(name: "weight", date: Date(), value: 65.8),
                IntAttributeUpdate(name: "steps", date: Date(), value: 3158),
            ])
        }.done { attributeResponse, urlResponse in
            #expect(attributeResponse.success.map(\.name) == ["weight"])
            #expect(attributeResponse.failed.map(\.name) == ["steps"])
            print("weight")
        }.catch {
            print($0)
        }
        when(
            fulfilled: existAPI.insights(days: 30), existAPI.averages(limit: 30), existAPI.correlations()
        ).done { insights, averages, correlations in
            #expect(!insights.insights.results.isEmpty)
            #expect(averages.averages.count == 30)
            #expect(!correlations.correlations.isEmpty)
            print("lists")
        }.catch { error in
            print(error)
        }
        await Wait.until { printed.count == 3 }
        #expect(printed.all.sorted() == ["lists", "values", "weight"])
    }

    @Test("The script of the article “FirstCall” fetches a page only when it is needed")
    func pages() async throws {
        let (existAPI, print) = (existAPI, print)
        let walked: Promise<Void> =
            // The article's script begins here.
            Promise {
                var days = 0
                for try await page in existAPI.pages(.values(of: "steps", limit: 50)) {
                    days += page.results.count
                    if days >= 100 { break }
                }
                print(days, "days")
            }
        try await walked.value
        #expect(printed.all == ["100 days"])
        #expect(sandbox.server.requests.count == 2)
    }

    @Test("In the article “Writing”, the first chain acquires other services' attributes, and lists what was stored")
    func writing() async throws {
        let (existAPI, print) = (existAPI, print)
        let updates: [any AttributeUpdate] = [
            IntAttributeUpdate(name: "mood", day: .today, value: 7),
            FloatAttributeUpdate(name: "weight", day: .today, value: 65.8),
        ]
        let written: Promise<Void> =
            // The article's chain begins here.
            existAPI.updateAcquiringIfNeeded(attributes: updates).done { result, response in
                for stored in result.success { print("Stored", stored.name) }
                for refused in result.failed { print("Refused", refused.name ?? "an item", "because:", refused.error) }
                for item in result.unconfirmed { print(item) }
            }
        try await written.value
        #expect(printed.all.sorted() == ["Stored mood", "Stored weight"])
    }

    @Test("In the article “Writing”, the second chain creates an attribute and increments its value")
    func creating() async throws {
        let (existAPI, print) = (existAPI, print)
        let written: Promise<Void> =
            // The article's chain begins here.
            existAPI.create([
                .custom(label: "Cups of tea", group: "food", valueType: .int)
            ]).then { created, _ in
                // The service has made the attribute's name from its label.
                existAPI.increment(attributes: created.success.map { AttributeIncrement(name: $0.name, by: 2) })
            }.done { counted, _ in
                for tea in counted.success { print(tea.name, "is now", tea.current ?? 0) }
                for refused in counted.failed { print("Refused, because:", refused.error) }
            }
        try await written.value
        #expect(printed.all == ["cups_of_tea is now 2"])
    }

    @Test(
        "As “TestingWithTheSandbox” says, a sandbox records requests, follows its script, and can expire a token"
    )
    func sandboxFaults() async throws {
        _ = try await existAPI.user().value
        let sent = sandbox.server.requests.last
        #expect(sent?.path == "/api/2/accounts/profile/")

        sandbox.server.script.next(respond: .empty(503))
        sandbox.server.script.next(2, matching: "/api/2/insights/", respond: .drop)
        sandbox.expireToken(sandbox.token)
        sandbox.rateLimit = 10
        #expect(sandbox.server.script.remaining == 3)
        let once = ExistAPI(
            token: sandbox.token, timeout: 600, baseURL: sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.retry = .never })
        var kinds: [ExistError.Kind] = []
        for _ in 0..<2 {
            if let error = await once.user().failure() { kinds.append(ExistError(error).kind) }
        }
        #expect(kinds == [.serviceFault, .unauthorized])
    }
}
