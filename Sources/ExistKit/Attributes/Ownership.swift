import PledgeCoding
import PledgeHTTP

/// An attribute to acquire, identified by its name or its template.
public struct AttributeClaim: Sendable, Equatable {
    let item: SentItem

    /// Returns a claim to the user's attribute with this name, which may be a custom one.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - manual: Whether the user continues to track it manually; nil leaves this unchanged.
    public static func name(_ name: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(name: name, manual: manual))
    }

    /// Returns a claim to the attribute with this template, which is created if the user has none.
    ///
    /// - Parameters:
    ///   - template: The name of the template.
    ///   - manual: Whether the user tracks the attribute manually; pass false if your program updates it.
    public static func template(_ template: String, manual: Bool? = nil) -> AttributeClaim {
        AttributeClaim(item: SentItem(template: template, manual: manual))
    }
}

/// An attribute that was acquired or released.
public struct SuccessfulAttribute: Sendable, Equatable {
    /// The name of the attribute.
    public var name: String
    /// The requested template, if there was one.
    public var template: String?
    /// Whether the attribute is now in use; nil if the service does not specify it.
    public var active: Bool?
    /// The complete attribute, if it was requested.
    public var attribute: Attribute?

    /// Creates an item for use in tests.
    public init(name: String, template: String? = nil, active: Bool? = nil, attribute: Attribute? = nil) {
        self.name = name
        self.template = template
        self.active = active
        self.attribute = attribute
    }
}

extension SuccessfulAttribute: Readable {
    /// The value of `active` may be text.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        name = try fields.required("name").repeatedLenientText()
        template = try? fields.repeatedText("template")
        active = fields.flag("active")
        attribute = fields.value("value_type") == nil ? nil : try Attribute(reading: source)
    }
}

extension SuccessfulAttribute: WrittenItem {
    var echo: SentItem { SentItem(name: name, template: template ?? attribute?.template, label: attribute?.label) }
}

/// The result of acquiring or releasing attributes.
public typealias AttributeResponse = WriteResult<SuccessfulAttribute>

/// https://developer.exist.io/reference/attribute_ownership/
extension ExistAPI {
    /// Makes this service the owner of attributes, so that it may write them. Wraps `POST attributes/acquire/`.
    ///
    /// An attribute has one owner: acquiring takes it from another service without asking the user. Acquire once, not
    /// before every write.
    ///
    /// - Parameter names: Any number of names, sent 35 at a time.
    /// - Returns: The attributes that were acquired, and those that were not. Without names, no request is sent.
    /// - Rejects: With ``ExistError``, whose ``ExistError/write`` describes the progress.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func acquire(names: [String]) -> Promise<AttributeReply> {
        acquire(names.map { .name($0) })
    }

    /// Makes this service the owner of the attributes with the given templates; see ``acquire(names:)``.
    ///
    /// - Parameters:
    ///   - templates: Any number of templates. An attribute that the user does not have yet is created.
    ///   - manual: Whether the user continues to track them manually; pass false if your program updates them.
    /// - Rejects: With ``ExistError``.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func acquire(templates: [String], manual: Bool? = nil) -> Promise<AttributeReply> {
        acquire(templates.map { .template($0, manual: manual) })
    }

    /// Makes this service the owner of attributes, by name or by template; see ``acquire(names:)``.
    ///
    /// - Parameters:
    ///   - claims: Any number of attributes to acquire.
    ///   - successObjects: Whether to return the complete attributes that were acquired.
    /// - Rejects: With ``ExistError``.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func acquire(_ claims: [AttributeClaim], successObjects: Bool = false) -> Promise<AttributeReply> {
        write("attributes/acquire/", claims.map(\.item), successObjects: successObjects, isRepeatable: true)
    }

    /// Gives up the ownership of attributes. Wraps `POST attributes/release/`.
    ///
    /// - Parameter names: Any number of names, sent 35 at a time.
    /// - Returns: The attributes that were released, and those that were not. Without names, no request is sent.
    /// - Rejects: With ``ExistError``.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func release(names: [String]) -> Promise<AttributeReply> {
        write("attributes/release/", names.map { SentItem(name: $0) }, isRepeatable: false)
    }
}
