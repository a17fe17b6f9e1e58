import Foundation
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ExistAPI {
    /// Makes this service the owner of attributes, so that it may write them. Wraps `POST attributes/acquire/`.
    ///
    /// An attribute has one owner: acquiring takes it from another service, and the user is not asked. Acquire once,
    /// not before every write.
    ///
    /// - Parameter names: any number; the service gets 35 at a time.
    /// - Returns: what was acquired and what was not. With no names nothing is sent.
    /// - Rejects: with ``ExistError``, if a request fails as a whole.
    /// - Cancellation: ends the request under way, and sends no other.
    public func acquire(names: [String]) -> Promise<AttributeReply> {
        write(names) { try .acquire(names: $0) }.map(on: .pledge) { (attributeResponse: $0, response: $1) }
    }

    /// Gives up attributes. Wraps `POST attributes/release/`.
    ///
    /// - Parameter names: any number; the service gets 35 at a time.
    /// - Returns: what was released and what was not. With no names nothing is sent.
    /// - Rejects: with ``ExistError``, if a request fails as a whole.
    /// - Cancellation: ends the request under way, and sends no other.
    public func release(names: [String]) -> Promise<AttributeReply> {
        write(names) { try .release(names: $0) }.map(on: .pledge) { (attributeResponse: $0, response: $1) }
    }

    /// Stores day totals of attributes this service owns. Wraps `POST attributes/update/`.
    ///
    /// - Parameter attributes: any number, for any days; the service gets 35 at a time. A later total replaces an
    ///   earlier one.
    /// - Returns: what was stored and what was not. With no attributes nothing is sent.
    /// - Rejects: with ``ExistError``, if a request fails as a whole, or a number is not finite.
    /// - Cancellation: ends the request under way, and sends no other.
    public func update(attributes: [any AttributeUpdate]) -> Promise<UpdateReply> {
        for update in attributes {
            if case .decimal(let value) = update.update, !value.isFinite {
                let problem =
                    "The value for “\(update.name)” on \(update.day) is not a finite number: leave the item out."
                return Promise(error: ExistError(invalidArgument: problem))
            }
        }
        return write(attributes) { try .update($0) }.map(on: .pledge) { (attributeResponse: $0, response: $1) }
    }

    /// Sends items as many at a time as the service takes, in order, and merges the replies.
    private func write<Item: Sendable, Success, Failure>(
        _ items: [Item], after done: (BatchResult<Success, Failure>, URLResponse)? = nil,
        _ endpoint: @escaping @Sendable ([Item]) throws -> Endpoint<BatchResult<Success, Failure>>
    ) -> Promise<(BatchResult<Success, Failure>, URLResponse)> {
        guard !items.isEmpty else { return .value(done ?? (BatchResult(), noResponse)) }
        return firstly {
            send(try endpoint(Array(items.prefix(Self.batchLimit))))
        }.then(on: .pledge) { answer in
            let result = done?.0.merged(with: answer.value) ?? answer.value
            return self.write(
                Array(items.dropFirst(Self.batchLimit)), after: (result, answer.reply.urlResponse), endpoint)
        }
    }
}
