import PledgeCoding
import PledgeHTTP

/// An attribute to become the owner of.
public struct AttributeClaim: Sendable, Equatable {
    let item: SentItem

    /// Whatever attribute of the user has this name, which may be one of their own making.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - manual: whether the user goes on filling it in by hand; nil leaves that as it is.
    public static func name(_ name: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(name: name, manual: manual))
    }

    /// The attribute made from this template, which is made if the user has none.
    ///
    /// - Parameters:
    ///   - template: the template's name.
    ///   - manual: whether the user fills it in by hand; say false if your program does.
    public static func template(_ template: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(template: template, manual: manual))
    }
}

/// An attribute that was acquired or released.
public struct SuccessfulAttribute: Sendable, Equatable {
    /// The name of the attribute.
    public var name: String
    /// The template that was asked for, if one was.
    public var template: String?
    /// Whether it is in use now; nil where the service does not say.
    public var active: Bool?
    /// All about it, if that was asked for.
    public var attribute: Attribute?

    /// Makes an item by hand, for tests.
    public init(name: String, template: String? = nil, active: Bool? = nil, attribute: Attribute? = nil) {
        self.name = name
        self.template = template
        self.active = active
        self.attribute = attribute
    }
}

extension SuccessfulAttribute: Readable {
    /// `active` may be text.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        name = try fields.required("name").repeatedText()
        template = try fields.repeatedText("template")
        active = try fields.flag("active")
        attribute = fields.value("value_type") == nil ? nil : try Attribute(reading: source)
    }
}

extension SuccessfulAttribute: BatchItem {
    var echo: SentItem { SentItem(name: name, template: template) }
}

/// What acquiring or releasing attributes led to.
public typealias AttributeResponse = BatchResult<SuccessfulAttribute>

/// https://developer.exist.io/reference/attribute_ownership/
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
        write("attributes/acquire/", claims.map(\.item), successObjects: successObjects, isRepeatable: true)
    }

    /// Gives up attributes. Wraps `POST attributes/release/`.
    ///
    /// - Parameter names: any number; the service gets 35 at a time.
    /// - Returns: what was released and what was not. With no names nothing is sent.
    /// - Rejects: with ``ExistError``.
    /// - Cancellation: ends the request under way, and sends no other.
    public func release(names: [String]) -> Promise<AttributeReply> {
        write("attributes/release/", names.map { SentItem(name: $0) }, isRepeatable: false)
    }
}
