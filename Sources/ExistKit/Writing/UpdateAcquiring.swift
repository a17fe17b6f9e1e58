import Foundation
import PledgeCoding
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
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` lists the items that are done or unknown.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func updateAcquiringIfNeeded(
        attributes: [any AttributeUpdate], acquiring mayAcquire: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Promise<UpdateReply> {
        writeAcquiring(attributes.map(\.name), mayAcquire) { self.update(attributes: $0.map { attributes[$0] }) }
    }

    /// Adds to day totals. If this service does not own an attribute, acquires it and then sends its additions once
    /// again, because a refused addition had no effect. See ``updateAcquiringIfNeeded(attributes:acquiring:)``.
    ///
    /// - Parameters:
    ///   - attributes: Any number of additions. Not for text, ratings, or times of day.
    ///   - mayAcquire: Returns whether the attribute with this name may be acquired; if not, its items remain failed.
    ///     Called on the thread that receives the response.
    /// - Returns: The final outcome of each item, with the new totals, in the given order.
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` lists the items that are done or unknown. Read the
    ///   totals of unknown ones before you send those again.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func incrementAcquiringIfNeeded(
        attributes: [AttributeIncrement], acquiring mayAcquire: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Promise<UpdateReply> {
        writeAcquiring(attributes.map(\.name), mayAcquire) { self.increment(attributes: $0.map { attributes[$0] }) }
    }

    /// - Parameter write: Sends the items at these indices.
    private func writeAcquiring(
        _ names: [String], _ mayAcquire: @escaping @Sendable (String) -> Bool,
        write: @escaping @Sendable ([Int]) -> Promise<UpdateReply>
    ) -> Promise<UpdateReply> {
        write(Array(names.indices)).then(on: nil) { first -> Promise<UpdateReply> in
            let refused = first.attributeResponse.failed.filter { $0.errorCode == .unauthorised }.compactMap(\.index)
                .filter { mayAcquire(names[$0]) }
            guard !refused.isEmpty else { return .value(first) }
            return self.acquire(names: Set(refused.map { names[$0] }).sorted()).mapError(on: nil) { error in
                first.attributeResponse.failure(ExistError(error), again: [], of: names.count)
            }.then(on: nil) { acquired -> Promise<UpdateReply> in
                let ours = Set(acquired.attributeResponse.success.map { ExactText($0.name) })
                let again = refused.filter { ours.contains(ExactText(names[$0])) }
                guard !again.isEmpty else { return .value(first) }
                return write(again).mapError(on: nil) { error in
                    first.attributeResponse.failure(ExistError(error), again: again, of: names.count)
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
    fileprivate func replacing(_ indices: [Int], with later: AttributeUpdateResponse) -> AttributeUpdateResponse {
        var all = self
        let answered = (later.success.map(\.index) + later.failed.map(\.index) + later.unconfirmed.map(\.index))
            .compactMap { $0.map { indices[$0] } }
        all.failed.removeAll { $0.index.map(answered.contains) ?? false }
        for var item in later.success {
            item.index = item.index.map { indices[$0] }
            all.success.append(item)
        }
        for var item in later.failed {
            item.index = item.index.map { indices[$0] }
            all.failed.append(item)
        }
        for var item in later.unconfirmed {
            item.index = indices[item.index]
            all.unconfirmed.append(item)
        }
        all.unconfirmed.sort { $0.index < $1.index }
        all.success.sort { ($0.index ?? .max) < ($1.index ?? .max) }
        all.failed.sort { ($0.index ?? .max) < ($1.index ?? .max) }
        all.unreadable += later.unreadable
        return all
    }

    /// Returns an error with the overall progress: every item was answered, but those being sent for the second time
    /// are unknown.
    fileprivate func failure(_ error: ExistError, again indices: [Int], of count: Int) -> ExistError {
        var failure = error
        let progress = indices.isEmpty ? nil : error.write
        let unknown = IndexSet((progress?.unknown ?? []).map { indices[$0] })
        var known = (progress?.result as? AttributeUpdateResponse).map { replacing(indices, with: $0) } ?? self
        known.failed.removeAll { $0.index.map(unknown.contains) ?? false }
        failure.write = WriteProgress(
            answered: IndexSet(0..<count).subtracting(unknown), unknown: unknown, unsent: [], result: known)
        return failure
    }
}
