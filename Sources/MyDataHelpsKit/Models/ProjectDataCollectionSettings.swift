import Foundation
import PledgeModels

/// What data a project collects.
public struct ProjectDataCollectionSettings: Decodable, Sendable, Equatable {
    /// Whether Fitbit data is collected.
    public var fitbitEnabled: Bool { enabled["fitbitEnabled"] ?? false }
    /// Whether health records are collected; connecting accounts of providers needs it.
    public var ehrEnabled: Bool { enabled["ehrEnabled"] ?? false }
    /// Whether air quality is collected.
    public var airQualityEnabled: Bool { enabled["airQualityEnabled"] ?? false }
    /// Whether weather is collected.
    public var weatherEnabled: Bool { enabled["weatherEnabled"] ?? false }
    /// Every flag of the answer by its name there, such as `garminEnabled`: the service adds new ones.
    public var enabled: [String: Bool]
    /// What can be asked for with a ``DeviceDataQuery``.
    public var queryableDeviceDataTypes: Set<QueryableDeviceDataType>
    /// When the collection from sensors ends.
    public var sensorDataCollectionEndDate: Date?
    /// Types of data that could not be read.
    public var unreadable: [UnreadableItem]

    /// Settings, as for tests and previews.
    public init(
        enabled: [String: Bool] = [:], queryableDeviceDataTypes: Set<QueryableDeviceDataType> = [],
        sensorDataCollectionEndDate: Date? = nil, unreadable: [UnreadableItem] = []
    ) {
        self.enabled = enabled
        self.queryableDeviceDataTypes = queryableDeviceDataTypes
        self.sensorDataCollectionEndDate = sensorDataCollectionEndDate
        self.unreadable = unreadable
    }

    /// Reads the settings. A flag that is missing is off.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PageKey.self)
        enabled = [:]
        for key in container.allKeys where key.stringValue.hasSuffix("Enabled") {
            enabled[key.stringValue] = try container.flag(key)
        }
        let types = try container.list(
            of: QueryableDeviceDataType.self, PageKey(stringValue: "queryableDeviceDataTypes"))
        queryableDeviceDataTypes = Set(types?.items ?? [])
        unreadable = types?.unreadable ?? []
        sensorDataCollectionEndDate = try container.optionalDate(
            PageKey(stringValue: "sensorDataCollectionEndDate"))
    }
}

/// A type of device data there may be points of.
public struct QueryableDeviceDataType: Codable, Hashable, Sendable {
    /// Where it comes from.
    public var namespace: DeviceDataNamespace
    /// What it is called there.
    public var type: String

    /// A type.
    public init(namespace: DeviceDataNamespace, type: String) {
        self.namespace = namespace
        self.type = type
    }
}
