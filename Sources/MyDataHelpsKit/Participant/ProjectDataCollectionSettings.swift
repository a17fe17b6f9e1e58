import Foundation
import PledgeCoding

/// The data collection settings of a project.
public struct ProjectDataCollectionSettings: Codable, Sendable, Equatable {
    /// Whether the project collects Fitbit data.
    public var fitbitEnabled: Bool { enabled["fitbitEnabled"] ?? false }
    /// Whether the project collects health records, which connecting provider accounts requires.
    public var ehrEnabled: Bool { enabled["ehrEnabled"] ?? false }
    /// Whether the project collects air quality data.
    public var airQualityEnabled: Bool { enabled["airQualityEnabled"] ?? false }
    /// Whether the project collects weather data.
    public var weatherEnabled: Bool { enabled["weatherEnabled"] ?? false }
    /// Whether the project collects Google Health data; nil if the service doesn't state it. Fitbit's flag is another.
    public var googleHealthEnabled: Bool? { enabled["googleHealthEnabled"] }
    /// Whether the project collects Health Connect data; nil if the service doesn't state it.
    public var healthConnectEnabled: Bool? { enabled["healthConnectEnabled"] }
    /// Whether the project collects Oura data; nil if the service doesn't state it.
    public var ouraEnabled: Bool? { enabled["ouraEnabled"] }
    /// Whether the project collects Dexcom data; nil if the service doesn't state it.
    public var dexcomEnabled: Bool? { enabled["dexcomEnabled"] }
    /// Whether the project collects Garmin data; nil if the service doesn't state it.
    public var garminEnabled: Bool? { enabled["garminEnabled"] }
    /// All flags of the response by key, such as `omronEnabled`; the service adds new ones.
    public var enabled: [String: Bool]
    /// The types of data that a ``DeviceDataQuery`` can request. Those of version 2 aren't among them: see
    /// ``ServiceAccount/deviceDataV2Types(in:)``.
    public var queryableDeviceDataTypes: Set<QueryableDeviceDataType>
    /// The date on which collection of sensor data ends.
    public var sensorDataCollectionEndDate: Date?
    /// The data types and flags that could not be decoded; a flag's reason contains its name, and its index is 0.
    public var unreadable: [UnreadableItem]

    /// Creates settings for use in tests and previews.
    public init(
        enabled: [String: Bool] = [:], queryableDeviceDataTypes: Set<QueryableDeviceDataType> = [],
        sensorDataCollectionEndDate: Date? = nil, unreadable: [UnreadableItem] = []
    ) {
        self.enabled = enabled
        self.queryableDeviceDataTypes = queryableDeviceDataTypes
        self.sensorDataCollectionEndDate = sensorDataCollectionEndDate
        self.unreadable = unreadable
    }
}

/// A type of device data that can be queried.
public struct QueryableDeviceDataType: Codable, Hashable, Sendable {
    /// The namespace that the data type belongs to.
    public var namespace: DeviceDataNamespace
    /// The name of the type within its namespace.
    public var type: String

    /// Creates a data type for use in tests and previews.
    public init(namespace: DeviceDataNamespace, type: String) {
        self.namespace = namespace
        self.type = type
    }
}

extension ProjectDataCollectionSettings: Readable {
    /// Decodes settings; a missing or undecodable flag is false.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        var (enabled, unclear): ([String: Bool], [String]) = ([:], [])
        try fields.forEach { (name, value) throws(TapeFailure) in
            guard name.hasSuffix("Enabled"), !value.isNull else { return }
            do throws(TapeFailure) {
                enabled[name] = try value.lenientBool()
            } catch {
                unclear.append(name)
            }
        }
        self.enabled = enabled
        let types = fields.optional("queryableDeviceDataTypes") { (list) throws(TapeFailure) in
            try list.items(of: QueryableDeviceDataType.self)
        }
        queryableDeviceDataTypes = Set(types?.items ?? [])
        unreadable = types?.unreadable ?? []
        for name in unclear.sorted() { unreadable.add(0) { "\(name) is neither true nor false" } }
        sensorDataCollectionEndDate = fields.optionalDate("sensorDataCollectionEndDate")
    }

    private enum CodingKeys: CodingKey { case queryableDeviceDataTypes, sensorDataCollectionEndDate }

    /// Encodes each flag under its own key, and the types sorted, because a set has no order.
    public func encode(to encoder: any Encoder) throws {
        try enabled.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        let types = queryableDeviceDataTypes.sorted {
            ($0.namespace.rawValue, $0.type) < ($1.namespace.rawValue, $1.type)
        }
        try fields.encode(types, forKey: .queryableDeviceDataTypes)
        try fields.encodeIfPresent(sensorDataCollectionEndDate, forKey: .sensorDataCollectionEndDate)
    }
}

extension QueryableDeviceDataType: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        namespace = try fields.required("namespace").word()
        type = try fields.required("type").lenientText()
    }
}
