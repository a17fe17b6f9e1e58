/// An open enumeration value of the service, such as a status. Known values have names, and unknown values are kept.
///
/// ```swift
/// switch task.status {
/// case .incomplete: remind()
/// case .complete, .closed: break
/// default: print("What is \(task.status)?")
/// }
/// ```
public protocol ServiceWord: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible
where RawValue == String {
    /// Creates a value from any string, known or not.
    init(rawValue: String)
}

extension ServiceWord {
    /// The string used by the service.
    public var description: String { rawValue }
}
