import Foundation
import PledgeCoding

/// One measurement, or whatever else a device or an app stored.
public struct DeviceDataPoint: Sendable, Equatable, Identifiable {
    /// Tells a point from every other.
    public typealias ID = ScopedIdentifier<DeviceDataPoint, String>

    /// Tells the point from every other.
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
    /// When what was observed began.
    public var startDate: Date?
    /// The offset from UTC that ``startDate`` was written with, in seconds; nil where none was read.
    @Uncompared package var startOffset: Int? = nil
    /// When it was taken, or ended.
    public var observationDate: Date?
    /// The offset from UTC that ``observationDate`` was written with, in seconds; nil where none was read.
    @Uncompared package var observationOffset: Int? = nil

    /// Makes a point by hand, for tests and previews.
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

/// The device or app a point comes from.
public struct DeviceDataPointSource: Encodable, Hashable, Sendable {
    /// What it is called.
    public var identifier: String
    /// More about the source, as its app has it.
    public var properties: [String: String]

    /// Makes a source by hand, for tests and previews.
    public init(identifier: String, properties: [String: String]) {
        self.identifier = identifier
        self.properties = properties
    }
}

extension DeviceDataPoint: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").text())
        namespace = try fields.required("namespace").word()
        deviceDataContextID = try fields.text("deviceDataContextID").map { .init($0) }
        insertedDate = try fields.date("insertedDate")
        modifiedDate = try fields.date("modifiedDate")
        identifier = try fields.text("identifier")
        type = try fields.required("type").repeatedText()
        value = try fields.text("value") ?? ""
        units = try fields.repeatedText("units")
        properties = try fields.texts("properties")
        self.source = try fields.read(DeviceDataPointSource.self, "source")
        if let time = try fields.optionalTimestamp("startDate") { (startDate, startOffset) = (time.date, time.offset) }
        if let time = try fields.optionalTimestamp("observationDate") {
            (observationDate, observationOffset) = (time.date, time.offset)
        }
    }
}

extension DeviceDataPointSource: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        var fields = try source.fields()
        identifier = try fields.repeatedText("identifier") ?? ""
        properties = try fields.texts("properties")
    }
}
