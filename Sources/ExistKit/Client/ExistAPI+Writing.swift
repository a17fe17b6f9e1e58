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
    /// - Rejects: with ``ExistError``, whose ``ExistError/batch`` says how far it came.
    /// - Cancellation: ends the request under way, and sends no other.
    public func acquire(names: [String]) -> Promise<AttributeReply> {
        acquire(names.map { .name($0) })
    }

    /// Makes this service the owner of the attributes made from templates; see ``acquire(names:)``.
    ///
    /// - Parameters:
    ///   - templates: any number. Where the user has no such attribute yet, it is made.
    ///   - manual: whether the user goes on filling them in by hand; say false if your program does.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func acquire(templates: [String], manual: Bool? = nil) -> Promise<AttributeReply> {
        acquire(templates.map { .template($0, manual: manual) })
    }

    /// Makes this service the owner of attributes, by name or by template; see ``acquire(names:)``.
    ///
    /// - Parameters:
    ///   - claims: any number.
    ///   - successObjects: whether to be told all about those that were acquired.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func acquire(_ claims: [AttributeClaim], successObjects: Bool = false) -> Promise<AttributeReply> {
        let sent = claims.map { SentItem(name: $0.name, template: $0.template) }
        return write(claims, sent) { try .acquire($0, successObjects: successObjects) }
            .map(on: nil) { (attributeResponse: $0, response: $1) }
    }

    /// Gives up attributes. Wraps `POST attributes/release/`.
    ///
    /// - Parameter names: any number; the service gets 35 at a time.
    /// - Returns: what was released and what was not. With no names nothing is sent.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func release(names: [String]) -> Promise<AttributeReply> {
        write(names, names.map { SentItem(name: $0) }) { try .release(names: $0) }
            .map(on: nil) { (attributeResponse: $0, response: $1) }
    }

    /// Makes attributes. Wraps `POST attributes/create/`.
    ///
    /// - Parameter attributes: any number; the service gets 35 at a time. One there is already fails; none is doubled.
    /// - Returns: what was made, with the names the service chose, and what was not.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func create(_ attributes: [NewAttribute]) -> Promise<CreateReply> {
        let sent = attributes.map { SentItem(template: $0.template, label: $0.label) }
        return write(attributes, sent) { try .create($0) }
            .map(on: nil) { (attributeResponse: $0, response: $1) }
    }

    /// Stores day totals of attributes this service owns. Wraps `POST attributes/update/`.
    ///
    /// - Parameter attributes: any number, for any days; the service gets 35 at a time. A later total replaces an
    ///   earlier one.
    /// - Returns: what was stored and what was not. With no attributes nothing is sent.
    /// - Rejects: with ``ExistError``: if a request fails as a whole, or a number is not finite.
    /// - Cancellation: ends the request under way, and sends no other.
    public func update(attributes: [any AttributeUpdate]) -> Promise<UpdateReply> {
        let sent = attributes.map { SentItem(name: $0.name, day: $0.day, value: $0.update) }
        return write(attributes, sent) { try .update($0) }
            .map(on: nil) { (attributeResponse: $0, response: $1) }
    }

    /// Adds to day totals of attributes this service owns. Wraps `POST attributes/increment/`.
    ///
    /// Never sent again by itself: after an error, read the values before you repeat it.
    ///
    /// - Parameter attributes: any number; the service gets 35 at a time. Not for text, ratings or times of day.
    /// - Returns: the new totals, and what was not added to.
    /// - Rejects: with ``ExistError``, whose ``ExistError/batch`` says which items are done and which are unknown.
    /// - Cancellation: ends the request under way, and sends no other.
    public func increment(attributes: [AttributeIncrement]) -> Promise<IncrementReply> {
        let sent = attributes.map { SentItem(name: $0.name, day: $0.day, value: $0.value) }
        return write(attributes, sent) { try .increment($0) }
            .map(on: nil) { (attributeResponse: $0, response: $1) }
    }
}
