/// An identifier that knows what it identifies, so that the id of a survey cannot be passed for that of a result.
///
/// In JSON it is the bare value.
public struct ScopedIdentifier<Subject, Value: Hashable>: Hashable, CustomStringConvertible {
    /// The identifier as the service knows it.
    public let value: Value

    /// An identifier that comes from elsewhere, such as a configuration.
    public init(_ value: Value) {
        self.value = value
    }

    public var description: String { "\(value)" }
}

extension ScopedIdentifier: Sendable where Value: Sendable {}

extension ScopedIdentifier: Decodable where Value: Decodable {
    /// Reads the bare value.
    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension ScopedIdentifier: Encodable where Value: Encodable {
    /// Writes the bare value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// A project, as something to have an id.
public struct Project {
    /// Tells a project from every other.
    public typealias ID = ScopedIdentifier<Project, String>
}

/// A survey, as something to have an id.
public struct Survey {
    /// Tells a survey from every other.
    public typealias ID = ScopedIdentifier<Survey, String>
}

/// What a participant answered in one go, as something to have an id.
public struct SurveyResult {
    /// Identifies a survey result.
    public typealias ID = ScopedIdentifier<SurveyResult, String>
}

/// What device data points belong together, as something to have an id.
public struct DeviceDataContext {
    /// Tells a context from every other.
    public typealias ID = ScopedIdentifier<DeviceDataContext, String>
}
