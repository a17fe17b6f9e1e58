import Foundation
import PledgeCoding

/// What data a project collects.
public struct ProjectDataCollectionSettings: Sendable, Equatable {
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

    /// Makes settings by hand, for tests and previews.
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

/// A type of device data there may be points of.
public struct QueryableDeviceDataType: Encodable, Hashable, Sendable {
    /// Where it comes from.
    public var namespace: DeviceDataNamespace
    /// What it is called there.
    public var type: String

    /// Makes a type by hand, for tests and previews.
    public init(namespace: DeviceDataNamespace, type: String) {
        self.namespace = namespace
        self.type = type
    }
}

extension ProjectDataCollectionSettings: PartlyReadable {}

extension ProjectDataCollectionSettings: Readable {
    /// A flag that is missing is off.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        var enabled: [String: Bool] = [:]
        try fields.forEach { (name, value) throws(Source.Failure) in
            // What only looks like a flag by its name is none.
            guard name.hasSuffix("Enabled"), !value.isNull, let flag = try? value.lenientBool() else { return }
            enabled[name] = flag
        }
        self.enabled = enabled
        let types = try fields.items(of: QueryableDeviceDataType.self, "queryableDeviceDataTypes")
        queryableDeviceDataTypes = Set(types?.items ?? [])
        unreadable = types?.unreadable ?? []
        sensorDataCollectionEndDate = try fields.optionalDate("sensorDataCollectionEndDate")
    }
}

extension QueryableDeviceDataType: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        namespace = try fields.required("namespace").word()
        type = try fields.required("type").repeatedText()
    }
}
