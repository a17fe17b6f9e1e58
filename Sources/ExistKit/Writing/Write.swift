import Foundation
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The progress of a write of which one request failed as a whole. Positions are those of the given items.
public struct WriteProgress: Sendable {
    /// The items the service has answered; ``result`` contains the outcome of each.
    public var answered: IndexSet
    /// The items of the request that failed. Their outcome is unknown if the connection was lost or the service failed;
    /// if the service refused the request, none was processed.
    public var unknown: IndexSet
    /// The items that were not sent.
    public var unsent: IndexSet
    /// The outcome of the answered items: a ``WriteResult`` of the call's own type.
    public var result: any Sendable
}

extension ExistAPI {
    typealias WriteReply<Success: WrittenItem> = (attributeResponse: WriteResult<Success>, response: URLResponse)

    /// Sends the items in order, as many at a time as the service accepts, and merges the responses.
    func write<Success: WrittenItem>(
        _ path: String, _ items: [SentItem], successObjects: Bool = false, isRepeatable: Bool
    ) -> Promise<WriteReply<Success>> {
        for item in items {
            if case .decimal(let value)? = item.value, !value.isFinite {
                return .invalid("The value for “\(item.name ?? "")” is not a finite number: leave the item out.")
            }
        }
        return write(items, from: 0, after: (WriteResult(), noResponse)) { part in
            .write(path, part, successObjects: successObjects, isRepeatable: isRepeatable)
        }
    }

    private func write<Success: WrittenItem>(
        _ items: [SentItem], from start: Int, after done: WriteReply<Success>,
        _ endpoint: @escaping @Sendable ([SentItem]) -> Endpoint<WriteResult<Success>>
    ) -> Promise<WriteReply<Success>> {
        guard start < items.count else { return .value(done) }
        let range = start..<min(start + Self.writeLimit, items.count)
        return send(endpoint(Array(items[range]))).mapError(on: nil) { error in
            var failure = ExistError(error)
            failure.write = WriteProgress(
                answered: IndexSet(0..<range.lowerBound), unknown: IndexSet(range),
                unsent: IndexSet(range.upperBound..<items.count), result: done.attributeResponse)
            return failure
        }.then(on: nil) { answer -> Promise<WriteReply<Success>> in
            self.report(answer.value.unreadable, of: answer.reply)
            let all = done.attributeResponse.merged(with: answer.value.ordered(like: items, in: range))
            return self.write(items, from: range.upperBound, after: (all, answer.reply.urlResponse), endpoint)
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
