import Foundation
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How far a write came before one of its requests failed as a whole. Positions are those of the items given.
public struct BatchProgress: Sendable {
    /// Items the service has answered for; what became of each is in ``result``.
    public var answered: IndexSet
    /// Items of the request that failed. Nothing is known of them if the line was lost or the service broke; where it
    /// refused the request, none was done.
    public var unknown: IndexSet
    /// Items that were not sent.
    public var unsent: IndexSet
    /// What became of the answered ones: a ``BatchResult`` of the call's own type.
    public var result: any Sendable
}

extension ExistAPI {
    typealias WriteReply<Success: BatchItem> = (attributeResponse: BatchResult<Success>, response: URLResponse)

    /// Sends items as many at a time as the service takes, in order, and merges the replies.
    func write<Success: BatchItem>(
        _ path: String, _ items: [SentItem], successObjects: Bool = false, isRepeatable: Bool
    ) -> Promise<WriteReply<Success>> {
        for item in items {
            if case .decimal(let value)? = item.value, !value.isFinite {
                let problem = "The value for “\(item.name ?? "")” is not a finite number: leave the item out."
                return Promise(error: ExistError(invalidArgument: problem))
            }
        }
        return write(items, from: 0, after: (BatchResult(), noResponse)) { part in
            .batch(path, part, successObjects: successObjects, isRepeatable: isRepeatable)
        }
    }

    private func write<Success: BatchItem>(
        _ items: [SentItem], from start: Int, after done: WriteReply<Success>,
        _ endpoint: @escaping @Sendable ([SentItem]) -> Endpoint<BatchResult<Success>>
    ) -> Promise<WriteReply<Success>> {
        guard start < items.count else { return .value(done) }
        let range = start..<min(start + Self.batchLimit, items.count)
        return send(endpoint(Array(items[range]))).mapError(on: nil) { error in
            var failure = ExistError(error)
            failure.batch = BatchProgress(
                answered: IndexSet(0..<range.lowerBound), unknown: IndexSet(range),
                unsent: IndexSet(range.upperBound..<items.count), result: done.attributeResponse)
            return failure
        }.then(on: nil) { answer -> Promise<WriteReply<Success>> in
            self.report(answer.value.unreadable, of: answer.reply)
            let all = done.attributeResponse.merged(with: answer.value.placed(among: items, in: range))
            return self.write(items, from: range.upperBound, after: (all, answer.reply.urlResponse), endpoint)
        }
    }
}

extension Endpoint where Response: Decodable {
    /// A write of up to 35 items. Whatever the status below 500, a body with results is a result.
    static func batch<Success>(
        _ path: String, _ items: [SentItem], successObjects: Bool = false, isRepeatable: Bool
    ) -> Endpoint where Response == BatchResult<Success> {
        var endpoint = Endpoint(
            .post, path, query: ["success_objects": successObjects ? 1 : nil], body: .json(items),
            isRepeatable: isRepeatable)
        endpoint.acceptsIfReadable = { 400..<500 ~= $0.status }
        return endpoint
    }
}
