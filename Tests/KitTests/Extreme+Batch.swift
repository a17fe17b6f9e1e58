import Pledge
import PledgeBatch
import PledgeHistory
import PledgeTestSupport

extension Extreme {
    static let batch: [String: Call] = [
        "Batch.progress(of:)": { show(batch($0).progress(of: $0.int)) },
        "BatchLimit.init(service:token:requests:period:)": { show(limit($0)) },
        "LatencyHistogram.quantile(_:)": { show(BatchTally().latency.quantile($0.double)) },
        "History.init(_:lockWait:onLockWait:)": { x in
            show(
                Result {
                    let folder = try TemporaryFolder()
                    return try History(folder.path("a.db"), lockWait: x.double).query("SELECT 1").rows
                })
        },
        "SQLValue.init(integerLiteral:)": { show(SQLValue(integerLiteral: $0.int)) },
    ]

    private static func limit(_ extreme: Extreme) -> BatchLimit {
        BatchLimit(service: "s", requests: extreme.int, period: extreme.double)
    }

    private static func batch(_ extreme: Extreme) -> Batch<Int, Int> {
        Batch([1]) { _ in
            limit(extreme)
        } work: { item, _ in
            .value(item) as Promise<Int>
        }
    }
}
