import PledgeTestSupport
import Testing

@testable import PledgeBatch

@Suite("The limit of an item")
struct BatchLimitTests {
    @Test("Each setting of a `BatchLimit` changes which limit a request counts toward, or the limit's size or period")
    func settings() throws {
        let rows: [String: (change: (inout BatchLimit) -> Void, figure: (Schedule.Quota) -> String)] = [
            "service": ({ $0.service = "b" }, \.service),
            "token": ({ $0.token = "u" }, { "\($0.token)" }),
            "requests": ({ $0.requests = 7 }, { "\($0.limit ?? 0)" }),
            "period": ({ $0.period = 60 }, { "\($0.period)" }),
        ]
        let usual = BatchLimit(service: "a", token: "t")
        let settings = try Repository.symbols("PledgeBatch")
            .filter { $0.path.hasPrefix("BatchLimit.") && $0.isMutableProperty }
        #expect(Set(settings.map { $0.path.replacing("BatchLimit.", with: "") }) == Set(rows.keys))
        for (name, row) in rows {
            var other = usual
            row.change(&other)
            let figures = [usual, usual, other].map { row.figure(BatchItem($0) { _ in .value(.done()) }.quota) }
            #expect(figures[0] == figures[1] && figures[1] != figures[2], "\(name): \(figures)")
        }
        let alone = BatchItem(BatchLimit(service: "a")) { _ in .value(.done()) }.quota
        #expect(!alone.isShared && alone.limit == nil && alone.period == 3600)
    }
}
