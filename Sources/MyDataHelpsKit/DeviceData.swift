import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ParticipantSession {
    /// Fetches a page of device data, newest first. `GET api/v1/delegated/devicedata`
    public func queryDeviceData(_ query: DeviceDataQuery) -> Promise<DeviceDataResultPage> { page(query) }
    public func queryDeviceData(_ query: DeviceDataQuery) async throws(MyDataHelpsError) -> DeviceDataResultPage {
        try await page(query)
    }
    public func queryDeviceData(_ query: DeviceDataQuery, completion: @escaping Completion<DeviceDataResultPage>) {
        page(query, completion: completion)
    }

    /// Stores device data points. A point that already exists is updated. `POST api/v1/delegated/devicedata`
    ///
    /// If the array is empty, nothing is sent. If two points have the same identifier, type, and dates, the call fails
    /// with ``MyDataHelpsError/encodingError(_:)`` and sends nothing, because one point would replace the other.
    @available(*, noasync, message: "await it in an async function; at a script's top level, it is a promise")
    public func persistDeviceData(_ dataPoints: [DeviceDataPointPersistModel]) -> Promise<Void> { store(dataPoints) }
    public func persistDeviceData(_ dataPoints: [DeviceDataPointPersistModel]) async throws(MyDataHelpsError) {
        try await value(of: store(dataPoints))
    }
    public func persistDeviceData(
        _ dataPoints: [DeviceDataPointPersistModel], completion: @escaping Completion<Void>
    ) {
        deliver(store(dataPoints), to: completion)
    }

    private func store(_ points: [DeviceDataPointPersistModel]) -> Promise<Void> {
        points.isEmpty ? Promise() : call(try .persist(points))
    }
}

extension Endpoint where Response == Void {
    static func persist(_ points: [DeviceDataPointPersistModel]) throws -> Endpoint {
        var indices: [[String?]: Int] = [:]
        for (index, point) in points.enumerated() {
            if let earlier = indices.updateValue(index, forKey: point.naturalKey) {
                throw FailureReason(
                    "points \(earlier) and \(index), both of type “\(point.type)”, have the same identifier, type and "
                        + "dates, so that one would replace the other: give them different identifiers or dates")
            }
        }
        return Endpoint(
            .post, "api/v1/delegated/devicedata", body: .json(points), isRepeatable: points.allSatisfy(\.isRepeatable))
    }
}

/// A query for device data of one namespace, newest first.
public struct DeviceDataQuery: PagedByID, Equatable {
    /// The namespace of the data.
    public var namespace: DeviceDataNamespace
    /// The types of the points; nil for all types. ``ProjectDataCollectionSettings/queryableDeviceDataTypes`` contains
    /// the types of a project.
    public var types: Set<String>?
    /// The lower limit for the date of observation, exclusive; nil for no limit.
    public var observedAfter: Date?
    /// The upper limit for the date of observation, exclusive; nil for no limit.
    public var observedBefore: Date?
    /// The lower limit for the date of the last change, exclusive; nil for no limit. Use this limit to get new data,
    /// because a point may arrive long after it was observed.
    public var modifiedAfter: Date?
    /// The upper limit for the date of the last change, exclusive; nil for no limit.
    public var modifiedBefore: Date?
    public let limit: Int
    public var pageID: DeviceDataResultPage.PageID?

    /// Creates a query. A limit outside 1 to 100 is clamped to that range.
    public init(
        namespace: DeviceDataNamespace, types: Set<String>? = nil, observedAfter: Date? = nil,
        observedBefore: Date? = nil, modifiedAfter: Date? = nil, modifiedBefore: Date? = nil,
        limit: Int = defaultLimit, pageID: DeviceDataResultPage.PageID? = nil
    ) {
        self.namespace = namespace
        self.types = types
        self.observedAfter = observedAfter
        self.observedBefore = observedBefore
        self.modifiedAfter = modifiedAfter
        self.modifiedBefore = modifiedBefore
        self.limit = Self.clamp(limit)
        self.pageID = pageID
    }

    /// The request: `GET api/v1/delegated/devicedata`.
    public var endpoint: Endpoint<DeviceDataResultPage> {
        list(
            "api/v1/delegated/devicedata",
            [
                "namespace": namespace,
                "type": types?.queryText,
                "observedAfter": observedAfter?.queryText,
                "observedBefore": observedBefore?.queryText,
                "modifiedAfter": modifiedAfter?.queryText,
                "modifiedBefore": modifiedBefore?.queryText,
            ])
    }
}

/// A page of device data.
public struct DeviceDataResultPage: ListPage, Equatable {
    @usableFromInline package static let list: StaticString = "deviceDataPoints"
    public var content: PageContent<DeviceDataPoint>
    /// The points of this page, newest first.
    public var deviceDataPoints: [DeviceDataPoint] { content.items }

    public init(content: PageContent<DeviceDataPoint>) { self.content = content }
}

/// A measurement or another value that a device or an app stored.
public struct DeviceDataPoint: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a point.
    public typealias ID = ScopedIdentifier<DeviceDataPoint, String>

    /// The identifier of the point.
    public var id: ID
    /// The namespace that the point belongs to.
    public var namespace: DeviceDataNamespace
    /// The identifier that related points share, such as the two values of a blood pressure measurement.
    public var deviceDataContextID: DeviceDataContext.ID?
    /// The date on which the service stored the point.
    public var insertedDate: Date
    /// The date on which the point was last changed in the service.
    public var modifiedDate: Date
    /// The source's identifier for the point. It may be empty.
    public var identifier: String?
    /// The type of the point. Each namespace has its own names for types.
    public var type: String
    /// The value as text, even if it is a number. It may be empty.
    public var value: String
    /// The unit of the value. It may be empty.
    public var units: String?
    /// Additional properties. A value that is not a string is encoded as JSON.
    public var properties: [String: String]
    /// The device or app that the point comes from.
    public var source: DeviceDataPointSource?
    /// The date on which the observation began.
    public var startDate: Date?
    /// The UTC offset in seconds that the service sent with ``startDate``; nil if the service sent no such date.
    @Uncompared package var startOffset: Int? = nil
    /// The date of the observation. If the observation lasted for some time, it is the date on which the observation
    /// ended.
    public var observationDate: Date?
    /// The UTC offset in seconds that the service sent with ``observationDate``; nil if the service sent no such date.
    @Uncompared package var observationOffset: Int? = nil

    /// Creates a point for use in tests and previews.
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
}

/// The device or app that a point comes from.
public struct DeviceDataPointSource: Codable, Hashable, Sendable {
    /// The identifier of the source.
    public var identifier: String
    /// Additional properties, as provided by the source.
    public var properties: [String: String]

    /// Creates a source for use in tests and previews, or for a point to store.
    public init(identifier: String, properties: [String: String]) {
        self.identifier = identifier
        self.properties = properties
    }
}

extension DeviceDataPoint: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        namespace = try fields.required("namespace").word()
        deviceDataContextID = fields.text("deviceDataContextID").map { .init($0) }
        insertedDate = try fields.date("insertedDate")
        modifiedDate = try fields.date("modifiedDate")
        identifier = fields.anyText("identifier")
        type = try fields.required("type").lenientText()
        let text = fields.anyText("value")
        // A missing value and null are errors, because neither of them means an empty text.
        value = if let text { text } else { try fields.required("value").text() }
        units = fields.anyText("units")
        properties = fields.texts("properties")
        self.source = fields.read(DeviceDataPointSource.self, "source")
        if let time = fields.optionalTimestamp("startDate") { (startDate, startOffset) = (time.date, time.offset) }
        if let time = fields.optionalTimestamp("observationDate") {
            observationDate = time.date
            observationOffset = time.offset
        }
    }
}

extension DeviceDataPointSource: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        identifier = fields.anyText("identifier") ?? ""
        properties = fields.texts("properties")
    }
}

/// The namespace of device data. It identifies where the data comes from.
///
/// Fitbit, Apple Health, and Garmin are namespaces in both version 1 and version 2 of device data. The two versions
/// spell the types of these namespaces differently.
public struct DeviceDataNamespace: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Data that the project's own apps stored.
    public static let project = DeviceDataNamespace(rawValue: "Project")
    /// Data from the participant's Fitbit account.
    public static let fitbit = DeviceDataNamespace(rawValue: "Fitbit")
    /// Data from Apple Health on the participant's phone.
    public static let appleHealth = DeviceDataNamespace(rawValue: "AppleHealth")
    /// Data from Google Fit on the participant's phone.
    public static let googleFit = DeviceDataNamespace(rawValue: "GoogleFit")
    /// Air quality measurements from AirNow.
    public static let airNowApi = DeviceDataNamespace(rawValue: "AirNowApi")
    /// Weather data for the participant's location.
    public static let weatherBit = DeviceDataNamespace(rawValue: "WeatherBit")
    /// Data from the participant's Omron account.
    public static let omron = DeviceDataNamespace(rawValue: "Omron")
    /// Data from the participant's Garmin account.
    public static let garmin = DeviceDataNamespace(rawValue: "Garmin")
    /// Data from the participant's Google Health account, which succeeds Fitbit. It exists only in version 2.
    public static let googleHealth = DeviceDataNamespace(rawValue: "GoogleHealth")
    /// Data from Health Connect on the participant's Android phone. It exists only in version 2.
    public static let healthConnect = DeviceDataNamespace(rawValue: "HealthConnect")
    /// Data from the participant's Oura account. It exists only in version 2.
    public static let oura = DeviceDataNamespace(rawValue: "Oura")
    /// Data from the participant's Dexcom account. It exists only in version 2.
    public static let dexcom = DeviceDataNamespace(rawValue: "Dexcom")
}

/// A point to store, or the new values of a point that already exists.
///
/// The service identifies a point by its `identifier`, `type`, `startDate`, and `observationDate`. If a point with the
/// same four fields exists, the service updates all other fields of that point. It may clear a field that you omit.
///
/// Provide at least an identifier, a type, and the date of the observation. Don't use the date of sending as the date
/// of the observation. If a point has an identifier and an observation date, a repeated request doesn't store it twice.
/// This kit retries a request only if each of its points has both.
public struct DeviceDataPointPersistModel: Encodable, Hashable, Sendable {
    /// Your identifier for the point.
    public var identifier: String?
    /// The type of the observation. You choose its name.
    public var type: String
    /// The value of the point as text.
    public var value: String
    /// The unit of the value.
    public var units: String?
    /// Additional properties, with names of your choice.
    public var properties: [String: String]
    /// The device or app that the point comes from.
    public var source: DeviceDataPointSource?
    /// The date on which the observation began.
    public var startDate: Date?
    /// The date of the observation. If the observation lasted for some time, it is the date on which the observation
    /// ended.
    public var observationDate: Date?

    /// Creates a point to store. The service stores it in the namespace `Project`.
    public init(
        identifier: String?, type: String, value: String, units: String? = nil, properties: [String: String] = [:],
        source: DeviceDataPointSource? = nil, startDate: Date? = nil, observationDate: Date? = nil
    ) {
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
        case identifier, type, value, units, properties, source, startDate, observationDate
    }

    /// Encodes the point with its dates in UTC. Values that are nil are left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(identifier, forKey: .identifier)
        try container.encode(type, forKey: .type)
        try container.encode(value, forKey: .value)
        try container.encodeIfPresent(units, forKey: .units)
        try container.encode(properties, forKey: .properties)
        try container.encodeIfPresent(source, forKey: .source)
        try container.encodeIfPresent(startDate.map(ServiceDate.text), forKey: .startDate)
        try container.encodeIfPresent(observationDate.map(ServiceDate.text), forKey: .observationDate)
    }
}

extension DeviceDataPointPersistModel {
    /// The fields by which the service identifies a point. Dates are precise to the millisecond.
    var naturalKey: [String?] {
        [identifier, type, startDate.map(ServiceDate.text), observationDate.map(ServiceDate.text)]
    }

    var isRepeatable: Bool { identifier != nil && observationDate != nil }
}
