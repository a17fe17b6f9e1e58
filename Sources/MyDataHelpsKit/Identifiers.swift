import PledgeHTTP

/// An identifier with a type of its own for each kind of object, so that a survey's identifier can't be passed in place
/// of a survey result's identifier. It is encoded as the bare value.
public struct ScopedIdentifier<Subject, Value: Hashable>: Hashable, CustomStringConvertible {
    /// The identifier that the service uses.
    public let value: Value

    /// Creates an identifier from a value, such as a value in a configuration file.
    public init(_ value: Value) {
        self.value = value
    }

    public var description: String { "\(value)" }
}

extension ScopedIdentifier: Sendable where Value: Sendable {}

extension ScopedIdentifier: Decodable where Value: Decodable {
    /// Decodes an identifier from the bare value.
    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension ScopedIdentifier: Encodable where Value: Encodable {
    /// Encodes the identifier as the bare value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// A namespace for a project's identifier type.
public struct Project {
    /// A unique identifier for a project.
    public typealias ID = ScopedIdentifier<Project, String>
}

/// A namespace for a survey's identifier type.
public struct Survey {
    /// A unique identifier for a survey.
    public typealias ID = ScopedIdentifier<Survey, String>
}

/// A namespace for a survey result's identifier type. A survey result consists of the answers that a participant
/// submits together.
public struct SurveyResult {
    /// A unique identifier for a survey result.
    public typealias ID = ScopedIdentifier<SurveyResult, String>
}

/// A namespace for a context's identifier type. A context groups related device data points.
public struct DeviceDataContext {
    /// A unique identifier for a context.
    public typealias ID = ScopedIdentifier<DeviceDataContext, String>
}

enum PathSegments {
    /// Returns a path segment with its special characters percent-encoded, including slashes. An empty segment becomes
    /// ".". The client refuses a path with a segment "." or "..", because the request would reach another resource.
    static func encoded(_ segment: String) -> String {
        segment.isEmpty ? "." : QueryItems.escape(segment)
    }
}
