import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@Suite("Reading values", .serialized)
struct ReadingTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("More than 31 days are read in several windows, without gaps or overlaps")
    func windows() async throws {
        let attributes = try await exist.existAPI.attributes(names: ["steps"], days: 100).value.attributes
        let days = try #require(attributes.first).values.map(\.day)
        let today = try day(SandboxCase.today)
        #expect(days == (0..<100).map { today.advanced(by: -$0) })
        #expect(exist.sandbox.server.requests.map { $0.queryValue("days") } == ["31", "31", "31", "7"])
        #expect(
            exist.sandbox.server.requests.map { $0.queryValue("date_max") } == [
                nil, "2024-01-31", "2023-12-31", "2023-11-30",
            ])
    }

    @Test("A range of dates has a value for each day, including the first and the last")
    func range() async throws {
        let (first, last) = (try day("2023-12-30"), try day("2024-02-10"))
        let attributes = try await exist.existAPI.attributes(names: ["steps"], from: first, through: last).value
            .attributes
        let days = try #require(attributes.first).values.map(\.day.description)
        #expect(days.count == 43)
        #expect(days.first == "2024-02-10")
        #expect(days.last == "2023-12-30")
        // This range fits into one window, so no other window is requested.
        _ = try await exist.existAPI.attributes(names: ["steps"], from: try day("2024-02-01")).value
        #expect(exist.targets.count == 2 + 1)
    }

    @Test("A range without an end extends to the service's today, even if that is a day ahead of the device")
    func openRange() async throws {
        let exist = try SandboxCase(zone: "Pacific/Kiritimati")
        defer { exist.sandbox.stop() }
        let behind = ExistAPI(
            token: exist.sandbox.token, timeout: 600, baseURL: exist.sandbox.baseURL,
            timeZone: try #require(TimeZone(identifier: "America/Los_Angeles")),
            options: ExistAPI.defaultOptions.with { $0.clock = .standing(at: SandboxCase.noon) })
        let attributes = try await behind.attributes(names: ["steps"], from: try day("2024-02-28")).value.attributes
        let days = try #require(attributes.first).values.map(\.day.description)
        #expect(days == ["2024-03-03", "2024-03-02", "2024-03-01", "2024-02-29", "2024-02-28"])
        let today = try await behind.attributes(names: ["steps"], from: try day("2024-03-03")).value.attributes
        #expect(today.first?.values.map(\.day.description) == ["2024-03-03"])
    }

    @Test("A first day after the last, zero days, and more than ten years are rejected before anything is sent")
    func badRanges() async throws {
        let (api, first) = (exist.existAPI, try day("2024-03-02"))
        let asked: [(Promise<ExistAPI.AttributesOutput>, String)] = [
            (
                api.attributes(from: first, through: first.advanced(by: -1)),
                "The first day, 2024-03-02, is after the last, 2024-03-01: swap them."
            ),
            (api.attributes(days: 0), "the minimum is 1."),
            (api.attributes(days: 3661), "which is more than ten years"),
            (api.attributes(from: try day("2000-01-01")), "which is more than ten years"),
            (api.attributes(days: .max, from: try day("0001-01-01")), "which is more than ten years"),
        ]
        for (promise, words) in asked {
            let error = try #require(await thrown(ExistError.self) { try await promise.value })
            #expect(
                error.kind == .invalidArgument && !error.isCancelled && error.description.contains(words), "\(error)")
        }
        #expect(exist.targets.isEmpty)
        #expect(try await api.attributes(days: 1).value.attributes.allSatisfy { $0.values.count == 1 })
    }
}
