import Foundation
import PledgeCoding

/// What became of the items of a write: the service does what it can, and says what it could not.
public struct BatchResult<Success: Decodable & Sendable>: Sendable {
    /// Items that were done, in the order they were given.
    public var success: [Success]
    /// Items that were not, and why, in the order they were given.
    public var failed: [FailedAttribute]
    /// Items of the reply that could not be read.
    public var unreadable: [UnreadableItem]

    /// Makes a result by hand, for tests.
    public init(success: [Success] = [], failed: [FailedAttribute] = []) {
        self.success = success
        self.failed = failed
        unreadable = []
    }

    /// This, and what a later request did.
    func merged(with later: BatchResult) -> BatchResult {
        var all = self
        all.success += later.success
        all.failed += later.failed
        all.unreadable += later.unreadable
        return all
    }
}

extension BatchResult: Readable {
    /// Either list may be missing.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        let done = try fields.items(of: Success.self, "success")
        let not = try fields.items(of: FailedAttribute.self, "failed")
        guard done != nil || not != nil else { throw fields.missing("success") }
        success = done?.items ?? []
        failed = not?.items ?? []
        unreadable = (done?.unreadable ?? []) + (not?.unreadable ?? [])
    }
}

/// An item that was not done: an attribute that was not acquired, released or made, or a value that was not stored.
public struct FailedAttribute: Sendable, Equatable {
    /// Where it stood among the items that were given, from 0; nil where the service does not let that be known.
    public var index: Int?
    /// What was sent; nil where the service does not let that be known.
    public var sent: SentItem?
    /// The attribute's name, as far as the service repeats one or it was sent.
    public var name: String?
    /// The template that was asked for, if one was.
    public var template: String?
    /// The label that was asked for, if one was.
    public var label: String?
    /// The day, if one was sent.
    public var day: ExistDay?
    /// The value, if one was sent.
    public var value: AttributeValue?
    /// Why it was not done, to switch on.
    public var errorCode: BatchErrorCode
    /// Why, in the service's words.
    public var error: String

    /// Makes an item by hand, for tests.
    public init(
        name: String?, template: String? = nil, day: ExistDay? = nil, value: AttributeValue? = nil,
        errorCode: BatchErrorCode, error: String
    ) {
        self.name = name
        self.template = template
        self.day = day
        self.value = value
        self.errorCode = errorCode
        self.error = error
    }
}

extension FailedAttribute: Readable {
    /// Nothing is required. A day that is none is what failed, perhaps.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        template = try fields.repeatedText("template")
        label = try fields.text("label")
        name = try fields.text("name") ?? template
        if name == nil { name = try fields.text("title") }
        day = fields.day("date")
        value = try fields.read(AttributeValue.self, "value")
        errorCode = try fields.repeatedText("error_code").map(BatchErrorCode.init(rawValue:)) ?? .unknown
        error = try fields.text("error") ?? ""
    }
}

extension FieldSource {
    /// A day; nil where there is none, or what is there is no day.
    mutating func day(_ name: StaticString) -> ExistDay? {
        guard let value = present(name) else { return nil }
        return try? ExistDay(reading: value)
    }
}

extension FailedAttribute: BatchItem {
    var echo: SentItem { SentItem(name: name, template: template, label: label, day: day, value: value) }

    /// N of "Object at index N missing field(s) …", counted within the request.
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
    /// What could not be done with which attribute, why, and what to do about it.
    public var description: String {
        let what = (name ?? template ?? label ?? "an item") + (day.map { " \($0)" } ?? "")
        let words = "\(what) failed (\(errorCode.rawValue)): \(error)" + (error.hasSuffix(".") ? "" : ".")
        guard errorCode == .unauthorised, value != nil else { return words }
        return "\(words) Acquire it first, or write with updateAcquiringIfNeeded."
    }
}

/// Why an item failed: the service's word, of which there may be others.
public struct BatchErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Something the item needs was not there.
    public static let missingField = BatchErrorCode(rawValue: "missing_field")
    /// The attribute belongs to another service: acquire it first.
    public static let unauthorised = BatchErrorCode(rawValue: "unauthorised")
    /// The value does not fit the attribute.
    public static let validation = BatchErrorCode(rawValue: "validation")
    /// The service gave none.
    public static let unknown = BatchErrorCode(rawValue: "unknown")
}
