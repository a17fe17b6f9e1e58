import Foundation
import PledgeCoding

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
            (observationDate, observationOffset) = (time.date, time.offset)
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
