import Foundation
import PledgeCoding
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The progress of a write of which one request failed as a whole. Positions are those of the given items.
public struct WriteProgress: Sendable {
    /// The items of requests that got a response; ``result`` contains the outcome of each.
    public var answered: IndexSet
    /// The items of the request that failed. Their outcome is unknown if the connection was lost or the service failed;
    /// if the service refused the request, none was processed.
    public var unknown: IndexSet
    /// The items that were not sent.
    public var unsent: IndexSet
    /// The outcome of the items in ``answered``: a ``WriteResult`` of the call's own type.
    public var result: any Sendable
}

extension ExistAPI {
    typealias WriteOutput<Success: WrittenItem> = (attributeResponse: WriteResult<Success>, response: URLResponse)

    /// Sends the items in order, as many at a time as the service accepts, and merges the responses.
    ///
    /// - Parameters:
    ///   - again: The items to send again, of an earlier write of the same items; nil to send all.
    ///   - earlier: What that write returned, in which the later outcomes replace the failures.
    func write<Success: WrittenItem>(
        _ path: String, _ items: [SentItem], again: [Int]? = nil, after earlier: WriteOutput<Success>? = nil,
        successObjects: Bool = false, isRepeatable: Bool
    ) -> Promise<WriteOutput<Success>> {
        for item in items {
            if case .decimal(let value)? = item.value, !value.isFinite {
                return .invalid("The value for “\(item.name ?? "")” is not a finite number: leave the item out.")
            }
        }
        let answered = earlier == nil ? [] : IndexSet(items.indices)
        return write(items, (again ?? Array(items.indices))[...], answered, earlier ?? (WriteResult(), noResponse)) {
            .write(path, $0, successObjects: successObjects, isRepeatable: isRepeatable)
        }
    }

    private func write<Success: WrittenItem>(
        _ items: [SentItem], _ unsent: ArraySlice<Int>, _ answered: IndexSet, _ earlier: WriteOutput<Success>,
        _ endpoint: @escaping @Sendable ([SentItem]) -> Endpoint<WriteResult<Success>>
    ) -> Promise<WriteOutput<Success>> {
        let (indices, rest) = (unsent.prefix(Self.writeLimit), unsent.dropFirst(Self.writeLimit))
        guard !indices.isEmpty else { return .value(earlier) }
        var known = earlier.attributeResponse
        known.failed.removeAll { $0.index.map(indices.contains) ?? false }
        let before = known
        let request = endpoint(indices.map { items[$0] })
        return send(request).mapError(on: nil) { error in
            var failure = ExistError(error)
            failure.write = WriteProgress(
                answered: answered.subtracting(IndexSet(indices)), unknown: IndexSet(indices),
                unsent: IndexSet(rest).subtracting(answered), result: before)
            return failure
        }.then(on: nil) { decoded -> Promise<WriteOutput<Success>> in
            self.report(decoded.value.unreadable, of: request.path)
            let all = before.merged(with: decoded.value.ordered(like: items, in: indices))
            return self.write(
                items, rest, answered.union(IndexSet(indices)), (all, decoded.response.urlResponse), endpoint)
        }
    }

    /// Sends the items, acquires the attributes that this service does not own, and sends their items again.
    func writeAcquiring(
        _ path: String, _ items: [SentItem], isRepeatable: Bool, _ mayAcquire: @escaping @Sendable (String) -> Bool
    ) -> Promise<UpdateOutput> {
        let first: Promise<UpdateOutput> = write(path, items, isRepeatable: isRepeatable)
        return first.then(on: nil) { first -> Promise<UpdateOutput> in
            let names = items.map { $0.name ?? "" }
            let refused = first.attributeResponse.failed.filter { $0.errorCode == .unauthorised }.compactMap(\.index)
                .filter { mayAcquire(names[$0]) }
            // With none of them, neither call sends anything.
            return self.acquire(names: Set(refused.map { names[$0] }).sorted()).mapError(on: nil) { error in
                var failure = ExistError(error)
                failure.write = WriteProgress(
                    answered: IndexSet(items.indices), unknown: [], unsent: [], result: first.attributeResponse)
                return failure
            }.then(on: nil) { acquired -> Promise<UpdateOutput> in
                let ours = Set(acquired.attributeResponse.success.map { ExactText($0.name) })
                let again = refused.filter { ours.contains(ExactText(names[$0])) }
                return self.write(path, items, again: again, after: first, isRepeatable: isRepeatable)
            }
        }
    }
}

extension Endpoint where Response: Decodable {
    /// Returns a write of up to 35 items. Any status code below 500 with results in the body counts as a response.
    static func write<Success>(
        _ path: String, _ items: [SentItem], successObjects: Bool = false, isRepeatable: Bool
    ) -> Endpoint where Response == WriteResult<Success> {
        var endpoint = Endpoint(
            .post, path, query: ["success_objects": successObjects ? 1 : nil], body: .json(items),
            isRepeatable: isRepeatable)
        endpoint.acceptsIfReadable = { 400..<500 ~= $0.status }
        endpoint.replaceMessages = { result, shown in
            for index in result.failed.indices { result.failed[index].error = shown(result.failed[index].error) }
        }
        return endpoint
    }
}
