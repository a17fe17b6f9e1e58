import PledgeHTTP

/// An identifier typed by its subject, so that a survey's cannot be passed as a result's; encoded as the bare value.
public struct ScopedIdentifier<Subject, Value: Hashable>: Hashable, CustomStringConvertible {
    /// The identifier used by the service.
    public let value: Value

    /// Creates an identifier from a value, such as one from a configuration.
    public init(_ value: Value) {
        self.value = value
    }

    public var description: String { "\(value)" }
}

extension ScopedIdentifier: Sendable where Value: Sendable {}

extension ScopedIdentifier: Decodable where Value: Decodable {
    /// Decodes the bare value.
    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension ScopedIdentifier: Encodable where Value: Encodable {
    /// Encodes the bare value.
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

/// A survey result consists of the answers that a participant submits together. This type only contains its identifier.
public struct SurveyResult {
    /// A unique identifier for a survey result.
    public typealias ID = ScopedIdentifier<SurveyResult, String>
}

/// A context groups related device data points. This type only contains its identifier.
public struct DeviceDataContext {
    /// A unique identifier for a context.
    public typealias ID = ScopedIdentifier<DeviceDataContext, String>
}

enum PathSegments {
    /// Returns a segment percent-encoded, with its slashes. An empty one becomes ".", which ``check(_:)`` rejects.
    static func encoded(_ segment: String) -> String {
        segment.isEmpty ? "." : QueryItems.escape(segment)
    }

    /// Throws ``MyDataHelpsError/encodingError(_:)`` for a path with a segment "." or "..", which is always resolved as
    /// a directory and would lead to another resource.
    static func check(_ path: String) throws(MyDataHelpsError) {
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw .encodingError(FailureReason.noSuchLink)
        }
    }
}
