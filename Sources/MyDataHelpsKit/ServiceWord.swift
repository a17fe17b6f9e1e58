/// A word that belongs to the service, such as a status: known ones have names, and new ones survive.
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
    /// Any word, known or not.
    init(rawValue: String)
}

extension ServiceWord {
    /// The word as the service writes it.
    public var description: String { rawValue }
}
