import Foundation
import PledgeHTTP

/// An attribute to become the owner of.
public struct AttributeClaim: Encodable, Sendable, Equatable {
    var name: String?
    var template: String?
    var manual: Bool?

    /// Whatever attribute of the user has this name, which may be one of their own making.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - manual: whether the user goes on filling it in by hand; nil leaves that as it is.
    public static func name(_ name: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(name: name, manual: manual)
    }

    /// The attribute made from this template, which is made if the user has none.
    ///
    /// - Parameters:
    ///   - template: the template's name.
    ///   - manual: whether the user fills it in by hand; say false if your program does.
    public static func template(_ template: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(template: template, manual: manual)
    }
}

/// https://developer.exist.io/reference/attribute_ownership/
extension Endpoint where Response == AttributeResponse {
    static func acquire(_ claims: [AttributeClaim], successObjects: Bool) throws -> Endpoint {
        try .batch("attributes/acquire/", claims, successObjects: successObjects, isRepeatable: true)
    }

    static func release(names: [String]) throws -> Endpoint {
        try .batch("attributes/release/", names.map { ["name": $0] }, isRepeatable: false)
    }
}

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
            .map(on: .pledge) { (attributeResponse: $0, response: $1) }
    }

    /// Gives up attributes. Wraps `POST attributes/release/`.
    ///
    /// - Parameter names: any number; the service gets 35 at a time.
    /// - Returns: what was released and what was not. With no names nothing is sent.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func release(names: [String]) -> Promise<AttributeReply> {
        write(names, names.map { SentItem(name: $0) }) { try .release(names: $0) }
            .map(on: .pledge) { (attributeResponse: $0, response: $1) }
    }
}
