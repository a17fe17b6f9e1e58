import Foundation

/// One measurement, or whatever else a device or an app stored.
public struct DeviceDataPoint: Decodable, Sendable, Equatable, Identifiable {
    /// Identifies a point.
    public typealias ID = ScopedIdentifier<DeviceDataPoint, String>

    /// The point's id.
    public var id: ID
    /// Where it comes from.
    public var namespace: DeviceDataNamespace
    /// Shared by points that belong together, such as both numbers of a blood pressure.
    public var deviceDataContextID: DeviceDataContext.ID?
    /// When it reached the service.
    public var insertedDate: Date
    /// When it was last changed there.
    public var modifiedDate: Date
    /// What the source calls it; may be empty.
    public var identifier: String?
    /// What it is, in the words of its namespace.
    public var type: String
    /// The value as text, numbers too; may be empty.
    public var value: String
    /// What the value counts; may be empty.
    public var units: String?
    /// More about it. What is no text is written as JSON.
    public var properties: [String: String]
    /// What device or app it comes from.
    public var source: DeviceDataPointSource?
    /// When it began.
    public var startDate: Date?
    /// When it was taken, or ended.
    public var observationDate: Date?

    /// A point, as for tests and previews.
    public init(
        id: ID, namespace: DeviceDataNamespace, type: String, value: String, units: String? = nil,
        identifier: String? = nil, properties: [String: String] = [:], source: DeviceDataPointSource? = nil,
        startDate: Date? = nil, observationDate: Date? = nil, insertedDate: Date, modifiedDate: Date? = nil,
        deviceDataContextID: DeviceDataContext.ID? = nil
    ) {
        self.id = id
        self.namespace = namespace
        self.deviceDataContextID = deviceDataContextID
        self.insertedDate = insertedDate
        self.modifiedDate = modifiedDate ?? insertedDate
        self.identifier = identifier
        self.type = type
        self.value = value
        self.units = units
        self.properties = properties
        self.source = source
        self.startDate = startDate
        self.observationDate = observationDate
    }

    private enum CodingKeys: String, CodingKey {
        case id, namespace, deviceDataContextID, insertedDate, modifiedDate, identifier, type, value, units
        case properties, source, startDate, observationDate
    }

    /// Reads a point.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ID.self, forKey: .id)
        namespace = try container.decode(DeviceDataNamespace.self, forKey: .namespace)
        deviceDataContextID = try container.decodeIfPresent(DeviceDataContext.ID.self, forKey: .deviceDataContextID)
        insertedDate = try container.date(.insertedDate)
        modifiedDate = try container.date(.modifiedDate)
        identifier = try container.text(.identifier)
        type = try container.decode(String.self, forKey: .type)
        value = try container.text(.value) ?? ""
        units = try container.text(.units)
        properties = try container.texts(.properties)
        source = try container.decodeIfPresent(DeviceDataPointSource.self, forKey: .source)
        startDate = try container.optionalDate(.startDate)
        observationDate = try container.optionalDate(.observationDate)
    }
}

/// The device or app a point comes from.
public struct DeviceDataPointSource: Codable, Hashable, Sendable {
    /// What it is called.
    public var identifier: String
    /// More about it.
    public var properties: [String: String]

    /// A source.
    public init(identifier: String, properties: [String: String]) {
        self.identifier = identifier
        self.properties = properties
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, properties
    }

    /// Reads a source.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try container.text(.identifier) ?? ""
        properties = try container.texts(.properties)
    }
}
