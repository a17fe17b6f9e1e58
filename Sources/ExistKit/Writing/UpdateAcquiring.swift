import Foundation
import PledgeCoding
import PledgeHTTP

extension ExistAPI {
    func writeAcquiring(
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
    /// Returns this result with some items replaced by their later outcome.
    fileprivate func replacing(_ indices: [Int], with later: AttributeUpdateResponse) -> AttributeUpdateResponse {
        var later = later
        func restore(_ index: inout Int?) { index = index.map { indices[$0] } }
        for place in later.success.indices { restore(&later.success[place].index) }
        for place in later.failed.indices { restore(&later.failed[place].index) }
        for place in later.unconfirmed.indices {
            later.unconfirmed[place].index = indices[later.unconfirmed[place].index]
        }
        let answered = Set(later.success.map(\.index) + later.failed.map(\.index) + later.unconfirmed.map(\.index))
        var all = self
        all.failed.removeAll { $0.index != nil && answered.contains($0.index) }
        all = all.merged(with: later)
        all.success.sort { ($0.index ?? .max) < ($1.index ?? .max) }
        all.failed.sort { ($0.index ?? .max) < ($1.index ?? .max) }
        all.unconfirmed.sort { $0.index < $1.index }
        return all
    }

    /// Returns an error with the overall progress, in which only the outcome of the items sent again is unknown.
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
