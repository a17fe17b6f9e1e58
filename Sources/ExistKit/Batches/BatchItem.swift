/// An item of the reply to a write.
public protocol BatchItem: Decodable, Sendable {
    /// The attribute's name, as far as the service repeats it.
    var itemName: String? { get }
    /// The template that was asked for, as far as the service repeats it.
    var itemTemplate: String? { get }
    /// The label that was asked for, as far as the service repeats it.
    var itemLabel: String? { get }
    /// The day, as far as the service repeats it.
    var itemDay: ExistDay? { get }
    /// The value, as far as the service repeats it.
    var itemValue: AttributeValue? { get }
    /// The service's words, in which it may say where the item stood in the request.
    var itemError: String? { get }

    /// Fills in what the service left out, from the item that was sent.
    mutating func complete(from sent: SentItem, at index: Int)
}

extension BatchItem {
    /// None.
    public var itemTemplate: String? { nil }
    /// None.
    public var itemLabel: String? { nil }
    /// None.
    public var itemDay: ExistDay? { nil }
    /// None.
    public var itemValue: AttributeValue? { nil }
    /// None.
    public var itemError: String? { nil }
    /// Nothing to fill in.
    public mutating func complete(from sent: SentItem, at index: Int) {}
}

/// An item of a write, as it was sent.
public struct SentItem: Sendable, Equatable {
    /// The attribute's name, if it was sent by name.
    public var name: String?
    /// The template's name, if it was sent by template.
    public var template: String?
    /// The label, if it was to be made.
    public var label: String?
    /// The day, if one was sent.
    public var day: ExistDay?
    /// The value, if one was sent.
    public var value: AttributeValue?
}

extension FailedAttribute: CustomStringConvertible {
    /// What could not be done with which attribute, and why.
    public var description: String { failure(errorCode) }
}

extension FailedToUpdateAttribute: CustomStringConvertible {
    /// What could not be written, why, and what to do about it.
    public var description: String {
        failure(errorCode)
            + (errorCode == .unauthorised ? " Acquire it first, or write with updateAcquiringIfNeeded." : "")
    }
}

extension BatchItem {
    fileprivate func failure(_ code: BatchErrorCode) -> String {
        let name = itemName ?? itemTemplate ?? itemLabel ?? "an item"
        let day = itemDay.map { " \($0)" } ?? ""
        let words = itemError ?? ""
        return "\(name)\(day) failed (\(code.rawValue)): \(words)" + (words.hasSuffix(".") ? "" : ".")
    }
}
