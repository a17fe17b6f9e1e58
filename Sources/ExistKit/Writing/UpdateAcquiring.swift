import Foundation
import PledgeHTTP

extension ExistAPI {
    /// Stores day totals. If this service does not own an attribute, acquires it and then stores its totals once again,
    /// as Exist recommends.
    ///
    /// Acquiring takes an attribute, without asking the user, from the service that updates it. If that could be a
    /// device the user relies on, check ``Attribute/service`` first.
    ///
    /// - Parameters:
    ///   - attributes: Any number of totals, for any days.
    ///   - mayAcquire: Returns whether the attribute with this name may be acquired; if not, its items remain failed.
    ///     Called on the thread that receives the response.
    /// - Returns: The final outcome of each item, in the given order.
    /// - Rejects: With ``ExistError``, whose ``ExistError/batch`` lists the items that are done or unknown.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func updateAcquiringIfNeeded(
        attributes: [any AttributeUpdate], acquiring mayAcquire: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Promise<UpdateReply> {
        update(attributes: attributes).then(on: nil) { first -> Promise<UpdateReply> in
            let refused = first.attributeResponse.failed.filter { $0.errorCode == .unauthorised }.compactMap(\.index)
                .filter { mayAcquire(attributes[$0].name) }
            guard !refused.isEmpty else { return .value(first) }
            let names = Set(refused.map { attributes[$0].name }).sorted()
            return self.acquire(names: names).mapError(on: nil) { error in
                first.attributeResponse.failure(ExistError(error), again: [], of: attributes.count)
            }.then(on: nil) { acquired -> Promise<UpdateReply> in
                let ours = Set(acquired.attributeResponse.success.map(\.name))
                let again = refused.filter { ours.contains(attributes[$0].name) }
                guard !again.isEmpty else { return .value(first) }
                return self.update(attributes: again.map { attributes[$0] }).mapError(on: nil) { error in
                    first.attributeResponse.failure(ExistError(error), again: again, of: attributes.count)
                }.map(on: nil) { second in
                    let all = first.attributeResponse.replacing(again, with: second.attributeResponse)
                    return (attributeResponse: all, response: second.response)
                }
            }
        }
    }
}

extension AttributeUpdateResponse {
    /// Returns this result, with some items replaced by their later outcome.
    fileprivate func replacing(_ places: [Int], with later: AttributeUpdateResponse) -> AttributeUpdateResponse {
        var all = self
        let answered = (later.success.map(\.index) + later.failed.map(\.index)).compactMap { $0.map { places[$0] } }
        all.failed.removeAll { $0.index.map(answered.contains) ?? false }
        for var item in later.success {
            item.index = item.index.map { places[$0] }
            all.success.append(item)
        }
        for var item in later.failed {
            item.index = item.index.map { places[$0] }
            all.failed.append(item)
        }
        all.success.sort { ($0.index ?? .max) < ($1.index ?? .max) }
        all.failed.sort { ($0.index ?? .max) < ($1.index ?? .max) }
        all.unreadable += later.unreadable
        return all
    }

    /// Returns an error with the overall progress: every item was answered, but those being sent for the second time
    /// are unknown.
    fileprivate func failure(_ error: ExistError, again places: [Int], of count: Int) -> ExistError {
        var failure = error
        let progress = places.isEmpty ? nil : error.batch
        let unknown = IndexSet((progress?.unknown ?? []).map { places[$0] })
        var known = (progress?.result as? AttributeUpdateResponse).map { replacing(places, with: $0) } ?? self
        known.failed.removeAll { $0.index.map(unknown.contains) ?? false }
        failure.batch = BatchProgress(
            answered: IndexSet(0..<count).subtracting(unknown), unknown: unknown, unsent: [], result: known)
        return failure
    }
}
