import Foundation
import PledgeHTTP

extension ExistAPI {
    /// Stores day totals; where the service says that an attribute is not ours, acquires it and stores those again,
    /// once. The makers' recommended way.
    ///
    /// Acquiring takes an attribute from the service that fills it in, and the user is not asked. Where that may be a
    /// device the user relies on, look at ``Attribute/service`` first.
    ///
    /// - Parameters:
    ///   - attributes: any number, for any days.
    ///   - mayAcquire: whether an attribute of this name may be acquired; one that may not stays among the failed. Runs in
    ///     the thread in which the service's answer arrives.
    /// - Returns: what was stored in the end and what was not, in the order they were given.
    /// - Rejects: with ``ExistError``, whose ``ExistError/batch`` says which items are done and which are unknown.
    /// - Cancellation: ends the request under way, and sends no other.
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
    /// This, but with a later answer for some of its items.
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

    /// An error with how far all this came: every item was answered for, but of those that were on their way once more
    /// nothing is known.
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
