import Foundation

struct DeviceDataPoint: Decodable, Sendable, Equatable, Identifiable {
    typealias ID = ScopedIdentifier<DeviceDataPoint, String>
    var id: ID
    var namespace: DeviceDataNamespace
    var deviceDataContextID: DeviceDataContext.ID?
    var insertedDate: Date
    var modifiedDate: Date
    var identifier: String?
    var type: String
    var value: String
    var units: String?
    var properties: [String: String]
    var source: DeviceDataPointSource?
    var startDate: Date?
    var observationDate: Date?
    init(
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
    init(from decoder: any Decoder) throws {
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
struct DeviceDataPointSource: Codable, Hashable, Sendable {
    var identifier: String
    var properties: [String: String]
    init(identifier: String, properties: [String: String]) {
        self.identifier = identifier
        self.properties = properties
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, properties
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try container.text(.identifier) ?? ""
        properties = try container.texts(.properties)
    }
}
