import Foundation
import PledgeCoding

/// The result of a write for each of its items. Some items may succeed while others fail, and the response may not
/// mention every item.
public struct WriteResult<Success: Decodable & Sendable>: Sendable {
    /// The items that succeeded, in the order in which you passed them.
    public var success: [Success]
    /// The items that failed, with the reasons, in the order in which you passed them.
    public var failed: [FailedAttribute]
    /// The items that the response does not mention, in the order in which you passed them. It is unknown whether they
    /// succeeded.
    ///
    /// Every item that was sent is either in this list, in ``success``, or in ``failed``.
    public var unconfirmed: [UnconfirmedItem]
    /// The problems in the response: items that could not be decoded, that were never sent, or that occur twice.
    public var unreadable: [UnreadableItem]
    /// The positions in the response's lists of the items in ``success`` and ``failed``. They are empty if this is not
    /// a response, but the result of a call.
    var positions: (success: [Int], failed: [Int]) = ([], [])

    /// Creates a result for use in tests.
    public init(success: [Success] = [], failed: [FailedAttribute] = [], unconfirmed: [UnconfirmedItem] = []) {
        self.success = success
        self.failed = failed
        self.unconfirmed = unconfirmed
        unreadable = []
    }
}

extension WriteResult: Readable {
    /// Decodes the lists of succeeded and failed items. One of the two lists may be missing.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        let succeeded = try fields.present("success")?.items(of: Success.self)
        let failures = try fields.present("failed")?.items(of: FailedAttribute.self)
        guard succeeded != nil || failures != nil else { throw fields.missing("success") }
        success = succeeded?.items ?? []
        failed = failures?.items ?? []
        unconfirmed = []
        unreadable = (succeeded?.unreadable ?? []) + (failures?.unreadable ?? [])
        positions = (succeeded?.positions ?? [], failures?.positions ?? [])
    }
}

extension ItemList {
    /// The positions in the list of the items that could be decoded.
    fileprivate var positions: [Int] {
        let undecoded = Set(unreadable.filter { !$0.isKept }.map(\.index))
        return (0..<items.count + undecoded.count).filter { !undecoded.contains($0) }
    }
}

extension WriteResult: Encodable where Success: Encodable {
    private enum CodingKeys: CodingKey { case success, failed }
}

/// An item that was sent, but that the response does not mention. It is unknown whether it succeeded.
public struct UnconfirmedItem: Sendable, Equatable, CustomStringConvertible {
    /// The position of the item among the items that you passed, starting at 0.
    public var index: Int
    /// The item that was sent.
    public var sent: SentItem

    /// A sentence that names the item and says what to do about it.
    public var description: String {
        "\(sent.title) is unconfirmed: the response does not mention it. Read the value before you send it again."
    }
}

/// An item that failed: an attribute that was not acquired, released, or created, or a value that was not stored.
public struct FailedAttribute: Sendable, Equatable {
    /// The position of the item among the items that you passed, starting at 0. Nil if the response does not identify
    /// the item.
    public var index: Int?
    /// The item that was sent; nil if the response does not identify the item.
    public var sent: SentItem?
    /// The attribute's name; nil if neither the request nor the response contains it.
    public var name: String?
    /// The template that was requested; nil if the item was requested by name or by label.
    public var template: String?
    /// The label that was requested; nil if no custom attribute was to be created.
    public var label: String?
    /// The day of the value; nil if no day was sent.
    public var day: ExistDay?
    /// The value that was to be stored or added; nil if no value was sent.
    public var value: AttributeValue?
    /// The reason for the failure as a code that you can compare.
    public var errorCode: WriteErrorCode
    /// The reason for the failure, in the service's words.
    public var error: String

    /// Creates an item for use in tests.
    public init(
        name: String?, template: String? = nil, day: ExistDay? = nil, value: AttributeValue? = nil,
        errorCode: WriteErrorCode, error: String
    ) {
        self.name = name
        self.template = template
        self.day = day
        self.value = value
        self.errorCode = errorCode
        self.error = error
    }
}

extension FailedAttribute: Readable, Encodable {
    /// Decodes a failed item. No field is required. An invalid day is ignored, because the day may be what the service
    /// refused.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        template = fields.text("template")
        label = fields.text("label")
        name = fields.text("name") ?? template
        if name == nil { name = fields.text("title") }
        day = fields.day("date")
        value = fields.read(AttributeValue.self, "value")
        errorCode = fields.text("error_code").map(WriteErrorCode.init(rawValue:)) ?? .unknown
        error = fields.text("error") ?? ""
    }

    private enum CodingKeys: String, CodingKey {
        case name, template, label, value
        case errorCode = "error_code"
        case error
        case day = "date"
    }
}

extension FailedAttribute: ResponseItem {
    var echo: SentItem { SentItem(name: name, template: template, label: label, day: day, value: value) }

    /// The index in the service's message "Object at index N missing field(s) …". It is the item's index within its own
    /// request, and not among all items of the call.
    var namedIndex: Int? {
        guard let range = error.range(of: "at index ") else { return nil }
        return Int(error[range.upperBound...].prefix { $0.isNumber })
    }

    mutating func complete(from sent: SentItem, at index: Int) {
        self.index = index
        self.sent = sent
        name = name ?? sent.name ?? sent.template
        template = template ?? sent.template
        label = label ?? sent.label
        day = day ?? sent.day
        value = value ?? sent.value
    }
}

extension FailedAttribute: CustomStringConvertible {
    /// A sentence that states which attribute failed, why, and in some cases what to do about it.
    public var description: String {
        let words = "\(echo.title) failed (\(errorCode.rawValue)): \(error)" + (error.hasSuffix(".") ? "" : ".")
        guard errorCode == .unauthorised, value != nil else { return words }
        return "\(words) Acquire the attribute first, or write with updateAcquiringIfNeeded."
    }
}

/// The reason why an item failed, as a code of the service. The service may also send other codes than those listed
/// here.
public struct WriteErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The item lacks a required field.
    public static let missingField = WriteErrorCode(rawValue: "missing_field")
    /// The attribute belongs to another service. Acquire the attribute before you write it.
    public static let unauthorised = WriteErrorCode(rawValue: "unauthorised")
    /// The value is not valid for the attribute.
    public static let validation = WriteErrorCode(rawValue: "validation")
    /// The service did not specify a reason.
    public static let unknown = WriteErrorCode(rawValue: "unknown")
}

/// An attribute that was acquired or released successfully.
public struct SuccessfulAttribute: Sendable, Equatable {
    /// The name of the attribute.
    public var name: String
    /// The template that was requested; nil if the item was requested by name or by label.
    public var template: String?
    /// Whether the attribute is now in use; nil if the service does not specify it.
    public var active: Bool?
    /// The complete attribute; nil if the call did not ask for complete attributes.
    public var attribute: Attribute?

    /// Creates an item for use in tests.
    public init(name: String, template: String? = nil, active: Bool? = nil, attribute: Attribute? = nil) {
        self.name = name
        self.template = template
        self.active = active
        self.attribute = attribute
    }
}

extension SuccessfulAttribute: Readable, Encodable {
    /// Decodes a succeeded item. `active` may be a Boolean or a text.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        name = try fields.required("name").lenientText()
        template = fields.text("template")
        active = fields.flag("active")
        attribute = fields.value("value_type") == nil ? nil : try Attribute(reading: source)
    }

    private enum CodingKeys: CodingKey { case name, template, active }

    /// Encodes the complete attribute. If there is none, encodes the name, the template, and whether the attribute is
    /// in use.
    public func encode(to encoder: any Encoder) throws {
        if let attribute { return try attribute.encode(to: encoder) }
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(name, forKey: .name)
        try fields.encodeIfPresent(template, forKey: .template)
        try fields.encodeIfPresent(active, forKey: .active)
    }
}

extension SuccessfulAttribute: ResponseItem {
    var echo: SentItem { SentItem(name: name, template: template ?? attribute?.template, label: attribute?.label) }
}

/// The result of acquiring or releasing attributes.
public typealias AttributeResponse = WriteResult<SuccessfulAttribute>

/// A value that was stored, or an amount that was added to a value.
public struct UpdatedAttribute: Sendable, Equatable {
    /// The position of the item among the items that you passed, starting at 0. Nil if the response does not identify
    /// the item.
    public var index: Int?
    /// The name of the attribute.
    public var name: String
    /// The day of the value; nil if neither the request nor the response contains it.
    public var day: ExistDay?
    /// The value that was stored, or the amount that was added.
    public var value: AttributeValue?
    /// The new total after an amount was added; nil if a value was stored instead.
    public var current: AttributeValue?

    /// Creates an item for use in tests.
    public init(name: String, day: ExistDay?, value: AttributeValue?, current: AttributeValue? = nil) {
        self.name = name
        self.day = day
        self.value = value
        self.current = current
    }
}

extension UpdatedAttribute: Readable, Encodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        name = try fields.required("name").lenientText()
        day = fields.day("date")
        value = fields.read(AttributeValue.self, "value")
        current = fields.read(AttributeValue.self, "current")
    }

    private enum CodingKeys: String, CodingKey {
        case name, value, current
        case day = "date"
    }
}

extension UpdatedAttribute: ResponseItem {
    var echo: SentItem { SentItem(name: name, day: day, value: value) }

    mutating func complete(from sent: SentItem, at index: Int) {
        self.index = index
        day = day ?? sent.day
        value = value ?? sent.value
    }
}

/// The result of storing or incrementing values.
public typealias AttributeUpdateResponse = WriteResult<UpdatedAttribute>
