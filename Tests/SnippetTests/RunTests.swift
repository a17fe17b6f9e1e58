import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Running code from the articles", .serialized)
final class RunTests {
    private let sandbox: ExistSandbox
    private let existAPI: ExistAPI
    private let printed = Recorder<String>()
    private let print: @Sendable (Any...) -> Void

    init() throws {
        sandbox = try ExistSandbox.start()
        existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)
        print = { @Sendable [printed] (items: Any...) in
            printed.append(items.map { "\($0)" }.joined(separator: " "))
        }
    }

    deinit {
        sandbox.stop()
    }

    @Test("FirstCall: pages are fetched as they are needed")
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

    @Test("Writing: refused items are listed beside stored ones, and attributes of others are acquired")
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

    @Test("Writing: a created attribute belongs to its client, and can be incremented")
    func creating() async throws {
        let (existAPI, print) = (existAPI, print)
        let written: Promise<Void> =
            // The article's chain begins here.
            existAPI.create([
                .custom(label: "Cups of tea", group: "food", valueType: .int)
            ]).then { created, _ in
                // The service has made its name from the label.
                existAPI.increment(attributes: created.success.map { AttributeIncrement(name: $0.name, by: 2) })
            }.done { counted, _ in
                for tea in counted.success { print(tea.name, "is now", tea.current ?? 0) }
                for refused in counted.failed { print("Refused, because:", refused.error) }
            }
        try await written.value
        #expect(printed.all == ["cups_of_tea is now 2"])
    }

    @Test("TestingWithTheSandbox: requests are recorded, and the script, expiration, and limit work as described")
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
            token: sandbox.token, baseURL: sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.retry = .never })
        var kinds: [ExistError.Kind] = []
        for _ in 0..<2 {
            if let error = await once.user().failure() { kinds.append(ExistError(error).kind) }
        }
        #expect(kinds == [.serviceFault, .unauthorized])
    }
}
