struct ScopedIdentifier<Subject, Value: Hashable & Sendable>: Hashable, Sendable, CustomStringConvertible {
    let value: Value
    init(_ value: Value) {
        self.value = value
    }
    var description: String { "\(value)" }
}

extension ScopedIdentifier: Decodable where Value: Decodable {
    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

extension ScopedIdentifier: Encodable where Value: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
enum Project {
    typealias ID = ScopedIdentifier<Project, String>
}
enum Survey {
    typealias ID = ScopedIdentifier<Survey, String>
}
enum SurveyResult {
    typealias ID = ScopedIdentifier<SurveyResult, String>
}
enum DeviceDataContext {
    typealias ID = ScopedIdentifier<DeviceDataContext, String>
}
