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

    /// Stores points, or updates points that already exist. `POST api/v1/delegated/devicedata`
    ///
    /// An empty array sends nothing. If two points have the same identifier, type and dates, the promise rejects with
    /// ``MyDataHelpsError/encodingError(_:)`` before sending.
    @available(*, noasync, message: "await it in an async function; at a script's top level, it is a promise")
    public func persistDeviceData(_ dataPoints: [DeviceDataPointPersistModel]) -> Promise<Void> { store(dataPoints) }
    public func persistDeviceData(_ dataPoints: [DeviceDataPointPersistModel]) async throws(MyDataHelpsError) {
        try await value(of: store(dataPoints))
    }
    public func persistDeviceData(
        _ dataPoints: [DeviceDataPointPersistModel], completion: @escaping Completion<Void>
    ) {
        report(store(dataPoints), to: completion)
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
    /// The types of the points; nil for all. See ``ProjectDataCollectionSettings/queryableDeviceDataTypes``.
    public var types: Set<String>?
    /// The date after which the points were observed, exclusive.
    public var observedAfter: Date?
    /// The date before which the points were observed, exclusive.
    public var observedBefore: Date?
    /// The date after which the points were changed, exclusive: use it to get new data, which can arrive late.
    public var modifiedAfter: Date?
    /// The date before which the points were changed, exclusive.
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
                "namespace": namespace.rawValue,
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

/// A measurement or other value stored by a device or an app.
public struct DeviceDataPoint: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a point.
    public typealias ID = ScopedIdentifier<DeviceDataPoint, String>

    /// The identifier of the point.
    public var id: ID
    /// The namespace that the point belongs to.
    public var namespace: DeviceDataNamespace
    /// The identifier shared by related points, such as both values of a blood pressure.
    public var deviceDataContextID: DeviceDataContext.ID?
    /// The date the point was stored by the service.
    public var insertedDate: Date
    /// The date the point was last changed at the service.
    public var modifiedDate: Date
    /// The source's identifier for the point; may be empty.
    public var identifier: String?
    /// The type of the point, as named by its namespace.
    public var type: String
    /// The value as text, including numbers; may be empty.
    public var value: String
    /// The unit of the value; may be empty.
    public var units: String?
    /// Additional properties. Values other than strings are encoded as JSON.
    public var properties: [String: String]
    /// The device or app that the point comes from.
    public var source: DeviceDataPointSource?
    /// The date the observation began.
    public var startDate: Date?
    /// The UTC offset in the text of ``startDate``, in seconds; nil if none was decoded.
    @Uncompared package var startOffset: Int? = nil
    /// The date of the observation, or its end.
    public var observationDate: Date?
    /// The UTC offset in the text of ``observationDate``, in seconds; nil if none was decoded.
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
        deviceDataContextID = (try? fields.text("deviceDataContextID")).map { .init($0) }
        insertedDate = try fields.date("insertedDate")
        modifiedDate = try fields.date("modifiedDate")
        identifier = try fields.anyText("identifier")
        type = try fields.required("type").lenientText()
        let text = try fields.anyText("value")
        // Neither a missing value nor null means an empty text.
        value = if let text { text } else { try fields.required("value").text() }
        units = try fields.anyText("units")
        properties = fields.texts("properties")
        self.source = fields.optional(DeviceDataPointSource.self, "source")
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
        identifier = try fields.anyText("identifier") ?? ""
        properties = fields.texts("properties")
    }
}

/// The namespace of device data, which identifies its origin. Fitbit, Apple Health, and Garmin exist in both versions; each
/// version spells their types in its own way.
public struct DeviceDataNamespace: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Data stored by the project's own apps.
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
    /// Data from the participant's Google Health account, Fitbit's successor; version 2 only.
    public static let googleHealth = DeviceDataNamespace(rawValue: "GoogleHealth")
    /// Data from Health Connect on the participant's Android phone; version 2 only.
    public static let healthConnect = DeviceDataNamespace(rawValue: "HealthConnect")
    /// Data from the participant's Oura account; version 2 only.
    public static let oura = DeviceDataNamespace(rawValue: "Oura")
    /// Data from the participant's Dexcom account; version 2 only.
    public static let dexcom = DeviceDataNamespace(rawValue: "Dexcom")
}

/// A point to store, or the new values of a point that already exists.
///
/// The service identifies points by `identifier`, `type`, `startDate` and `observationDate`, and updates all other
/// fields of a point with the same four: one you omit may be cleared. Provide at least an identifier, a type and the
/// date of the observation, not of sending: only then is the request idempotent, so that this kit retries it.
public struct DeviceDataPointPersistModel: Encodable, Hashable, Sendable {
    /// Your identifier for the point.
    public var identifier: String?
    /// The type of the observation, as named by you.
    public var type: String
    /// The value of the point as text.
    public var value: String
    /// The unit of the value.
    public var units: String?
    /// Additional properties, with names of your choice.
    public var properties: [String: String]
    /// The device or app that the point comes from.
    public var source: DeviceDataPointSource?
    /// The date the observation began.
    public var startDate: Date?
    /// The date of the observation, or its end.
    public var observationDate: Date?

    /// Creates a point to store; always in the namespace `Project`.
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

    /// Encodes the point, with dates in UTC and without values that are nil.
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
    /// The fields by which the service identifies a point, with dates to the millisecond.
    var naturalKey: [String?] {
        [identifier, type, startDate.map(ServiceDate.text), observationDate.map(ServiceDate.text)]
    }

    var isRepeatable: Bool { identifier != nil && observationDate != nil }
}
