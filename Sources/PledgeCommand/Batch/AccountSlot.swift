import Pledge
import PledgeBatch
import PledgeHTTP

/// An account at work in a batch.
@dynamicMemberLookup
struct AccountSlot: Sendable {
    let account: AccountLine
    /// Gives its clients the schedule of the batch.
    let transport: BatchSlot

    subscript<Value>(dynamicMember path: KeyPath<BatchSlot, Value>) -> Value { transport[keyPath: path] }
}

/// The accounts that are still to do, each with the same work.
struct AccountJobs: Sendable {
    typealias Work = @Sendable (AccountSlot) -> Promise<BatchItem.Outcome>

    let reader: AccountReader
    /// The requests per hour for each token of a service; without one, the service announces its own limit.
    let limits: [AccountID.Service: Int]
    let work: Work

    @Sendable func next() -> Promise<BatchItem?> {
        reader.next().map(on: nil) { account in
            guard let account else { return nil }
            let service = account.id.service
            return BatchItem(service.rawValue, account.tokenKey, limit: limits[service]) { [work] slot in
                work(AccountSlot(account: account, transport: slot))
            }
        }
    }
}
