import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ServiceAccount {
    /// Fetches the types of version 2 device data in a project, in every namespace.
    /// `GET api/v2/administration/projects/<id>/devicedatapoints/alldatatypes`
    ///
    /// Only an enabled type can be queried. The path is known from a public program only; see <doc:DeviceDataVersion2>.
    public func deviceDataV2Types(in project: Project.ID) -> Promise<DeviceDataV2TypesPage> {
        let project = PathSegments.encoded(project.value)
        // Medium confidence: one public program uses this path, whose twin under `api/v1` is well known. Filters by
        // namespace or `enabled` are not known here, so none are sent.
        let path = "api/v2/administration/projects/\(project)/devicedatapoints/alldatatypes"
        return send(Endpoint<DeviceDataV2TypesPage>(.get, path)).map(on: nil, \.value)
    }
}

// MARK: - Points

/// A query for version 2 device data: the points of one type in a project. Request it with ``ServiceAccount/pages(_:)``.
///
/// Google Health, Health Connect, Oura, and Dexcom exist in version 2 only. <doc:DeviceDataVersion2> says what is known
/// about it, and from where.
public struct DeviceDataV2Query: PagedByID, Equatable {
    /// The project of the participants.
    public var project: Project.ID
    /// The namespace of the data.
    public var namespace: DeviceDataNamespace
    /// The type of the points, spelled as its namespace does: `steps-daily`, `Resting Heart Rate`. The types of a project
    /// are those of ``ServiceAccount/deviceDataV2Types(in:)``.
    public var type: String
    /// The project's identifier for the participant. Whether the service accepts a query without it is not known.
    public var participantIdentifier: String?
    /// The date after which the points were observed, exclusive; see ``observationMargin``.
    public var observedAfter: Date?
    /// The date before which the points were observed, exclusive; see ``observationMargin``.
    public var observedBefore: Date?
    /// The date after which the points were changed, exclusive; see ``acceptsModifiedDates``.
    public var modifiedAfter: Date?
    /// The date before which the points were changed, exclusive; see ``acceptsModifiedDates``.
    public var modifiedBefore: Date?
    /// The date after which the points were stored, exclusive; see ``acceptsModifiedDates``.
    public var insertedAfter: Date?
    /// The date before which the points were stored, exclusive; see ``acceptsModifiedDates``.
    public var insertedBefore: Date?
    public let limit: Int
    public var pageID: DeviceDataV2ResultPage.PageID?

    /// The time to add at each end of a range of observation dates: a day.
    ///
    /// The service may compare ``observedAfter`` and ``observedBefore`` with instants, or with what the participant's
    /// clock showed: which of both is not known. The vendor's own code asks for a day more at each end, and then selects
    /// points by their own ``ObservedDate/day``. Do the same.
    public static let observationMargin: TimeInterval = 86_400

    /// Whether the service is known to select points by the dates of their storage and last change: not yet.
    ///
    /// The vendor documents these filters for its web SDK. That this path accepts them is unproven, so a sync doesn't rely
    /// on them: it reads observation dates with an overlap instead.
    public static let acceptsModifiedDates = false

    /// The default page size.
    ///
    /// It is that of version 1, because the page sizes of version 2 aren't documented. The vendor's own code sends 1 and
    /// 10.
    public static var defaultLimit: Int { 100 }

    /// Creates a query. A limit outside 1 to 100 is clamped to that range.
    public init(
        project: Project.ID, namespace: DeviceDataNamespace, type: String, participantIdentifier: String? = nil,
        observedAfter: Date? = nil, observedBefore: Date? = nil, modifiedAfter: Date? = nil,
        modifiedBefore: Date? = nil, insertedAfter: Date? = nil, insertedBefore: Date? = nil,
        limit: Int = defaultLimit, pageID: DeviceDataV2ResultPage.PageID? = nil
    ) {
        self.project = project
        self.namespace = namespace
        self.type = type
        self.participantIdentifier = participantIdentifier
        self.observedAfter = observedAfter
        self.observedBefore = observedBefore
        self.modifiedAfter = modifiedAfter
        self.modifiedBefore = modifiedBefore
        self.insertedAfter = insertedAfter
        self.insertedBefore = insertedBefore
        self.limit = Self.clamp(limit)
        self.pageID = pageID
    }

    /// The request: `GET api/v2/administration/projects/<id>/devicedatapoints`.
    public var endpoint: Endpoint<DeviceDataV2ResultPage> {
        let project = PathSegments.encoded(project.value)
        // Medium confidence: three public programs use this path and `participantIdentifier`. The other names are the
        // vendor's, for its web SDK. Left out are `dataSource` and `properties`, which are maps there: how a query item
        // represents one is unknown.
        var endpoint = list(
            "api/v2/administration/projects/\(project)/devicedatapoints",
            [
                "namespace": namespace.rawValue,
                "type": type,
                "participantIdentifier": participantIdentifier,
                "observedAfter": observedAfter?.queryText,
                "observedBefore": observedBefore?.queryText,
                "modifiedAfter": modifiedAfter?.queryText,
                "modifiedBefore": modifiedBefore?.queryText,
                "insertedAfter": insertedAfter?.queryText,
                "insertedBefore": insertedBefore?.queryText,
            ])
        guard let participantIdentifier else { return endpoint }
        // A service that ignored the filter would pass off everyone's data as this participant's.
        endpoint.read = { [read = endpoint.read] response, coding in
            let page = try read(response, coding)
            guard page.allSatisfy({ $0.participantIdentifier ?? participantIdentifier == participantIdentifier }) else {
                throw UnreadableResponse.unexpected(
                    path: "\(DeviceDataV2ResultPage.list)",
                    problem: "it has a point of another participant")
            }
            return page
        }
        return endpoint
    }
}

/// A page of version 2 device data.
public struct DeviceDataV2ResultPage: ListPage, Equatable {
    // Medium confidence: public programs read the points under this name, as in version 1.
    @usableFromInline package static let list: StaticString = "deviceDataPoints"
    public var content: PageContent<DeviceDataPointV2>
    /// The points of this page.
    public var deviceDataPoints: [DeviceDataPointV2] { content.items }

    public init(content: PageContent<DeviceDataPointV2>) { self.content = content }
}

/// A measurement or other value in version 2 of device data.
public struct DeviceDataPointV2: Codable, Sendable, Equatable, Identifiable {
    /// A unique identifier for a point.
    public typealias ID = ScopedIdentifier<DeviceDataPointV2, String>

    /// The identifier of the point.
    public var id: ID
    /// The participant's identifier, internal to MyDataHelps.
    public var participantID: ParticipantInfo.ID?
    /// The project's own identifier for the participant.
    public var participantIdentifier: String?
    /// The namespace that the point belongs to.
    public var namespace: DeviceDataNamespace
    /// The type of the point, spelled as its namespace does.
    public var type: String
    /// The source's identifier for the point; may be empty.
    public var identifier: String?
    /// The value as text: a number, or a word such as the stage of sleep; may be empty. Oura has its numbers in
    /// ``properties``.
    public var value: String
    /// The unit of the value; may be empty.
    public var units: String?
    /// The time at which the observation began.
    public var startDate: ObservedDate?
    /// The time of the observation, or of its end.
    public var observationDate: ObservedDate?
    /// The date the point was stored by the service.
    public var insertedDate: Date
    /// The date the point was last changed at the service.
    public var modifiedDate: Date
    /// Additional properties, as provided by the source.
    public var properties: [String: JSONValue]
    /// The device or app that the point comes from, such as `sourceName` or `dataOriginPackageName`; often empty.
    public var dataSource: [String: JSONValue]

    /// Creates a point for use in tests and previews.
    public init(
        id: ID, namespace: DeviceDataNamespace, type: String, value: String, units: String? = nil,
        identifier: String? = nil, properties: [String: JSONValue] = [:], dataSource: [String: JSONValue] = [:],
        startDate: ObservedDate? = nil, observationDate: ObservedDate? = nil, insertedDate: Date,
        modifiedDate: Date? = nil, participantID: ParticipantInfo.ID? = nil, participantIdentifier: String? = nil
    ) {
        self.id = id
        self.participantID = participantID
        self.participantIdentifier = participantIdentifier
        self.namespace = namespace
        self.type = type
        self.identifier = identifier
        self.value = value
        self.units = units
        self.startDate = startDate
        self.observationDate = observationDate
        self.insertedDate = insertedDate
        self.modifiedDate = modifiedDate ?? insertedDate
        self.properties = properties
        self.dataSource = dataSource
    }

    /// The day on the participant's calendar that the point belongs to, such as `2026-08-11`; nil without a date.
    ///
    /// It is that of the observation, or of its end: a night belongs to the day on which it ended. A value that starts
    /// before midnight and ends exactly then, such as the steps of a whole day, belongs to the day on which it started.
    public var day: String? {
        guard let end = observationDate else { return startDate?.day }
        return end.localTime.hasSuffix("T00:00:00") ? startDate?.day ?? end.day : end.day
    }

    private enum CodingKeys: String, CodingKey {
        case id, participantID, participantIdentifier, namespace, type, identifier, value, units
        case startDate, startDateOffset, observationDate, observationDateOffset, insertedDate, modifiedDate
        case properties, dataSource
    }

    /// Encodes the point with the service's names, and the offset of a date beside its local time.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encodeIfPresent(participantID, forKey: .participantID)
        try fields.encodeIfPresent(participantIdentifier, forKey: .participantIdentifier)
        try fields.encode(namespace, forKey: .namespace)
        try fields.encode(type, forKey: .type)
        try fields.encodeIfPresent(identifier, forKey: .identifier)
        try fields.encode(value, forKey: .value)
        try fields.encodeIfPresent(units, forKey: .units)
        try fields.encodeIfPresent(startDate?.localTime, forKey: .startDate)
        try fields.encodeIfPresent(startDate?.offsetText, forKey: .startDateOffset)
        try fields.encodeIfPresent(observationDate?.localTime, forKey: .observationDate)
        try fields.encodeIfPresent(observationDate?.offsetText, forKey: .observationDateOffset)
        try fields.encode(insertedDate, forKey: .insertedDate)
        try fields.encode(modifiedDate, forKey: .modifiedDate)
        try fields.encode(properties, forKey: .properties)
        try fields.encode(dataSource, forKey: .dataSource)
    }
}

extension DeviceDataPointV2: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        id = ID(try fields.required("id").lenientText())
        participantID = try fields.anyText("participantID").map { .init($0) }
        participantIdentifier = try fields.anyText("participantIdentifier")
        namespace = try fields.required("namespace").word()
        type = try fields.required("type").lenientText()
        identifier = try fields.anyText("identifier")
        let text = try fields.anyText("value")
        // Neither a missing value nor null means an empty text.
        value = if let text { text } else { try fields.required("value").text() }
        units = try fields.anyText("units")
        startDate = fields.observedDate("startDate", offset: "startDateOffset")
        observationDate = fields.observedDate("observationDate", offset: "observationDateOffset")
        insertedDate = try fields.date("insertedDate")
        modifiedDate = try fields.date("modifiedDate")
        properties = fields.members("properties")
        dataSource = fields.members("dataSource")
    }
}

// MARK: - Dates

/// A date and time as the participant's clock showed it, and the clock's UTC offset if the service states it.
///
/// Version 2 dates are local. Without the offset, the instant is unknown: ``date`` is nil, while ``day`` and
/// ``localTime`` are always known.
public struct ObservedDate: Hashable, Sendable {
    /// The date and time of the clock, such as `2026-08-11T02:10:00`, with a fraction of a second if one was sent.
    public let localTime: String
    /// The clock's offset from UTC in seconds; nil if the service doesn't state it.
    public fileprivate(set) var utcOffset: Int?

    /// Creates a date from text such as `2026-08-11T02:10:00`, with or without an offset at its end. Nil if it is not a
    /// date and time, or if the offset is a day or more.
    ///
    /// - Parameters:
    ///   - text: The date and time. If it contains an offset, that one counts.
    ///   - utcOffset: The offset in seconds of a text without one; nil if unknown.
    public init?(_ text: String, utcOffset: Int? = nil) {
        guard text.utf8.count >= 19, let time = Timestamp.parse(text), -86_400 < utcOffset ?? 0, utcOffset ?? 0 < 86_400
        else { return nil }
        let clock = Array(text.utf8.prefix(19))
        let rest = text.utf8.dropFirst(19)
        // A time without seconds is not one that the service sends.
        guard clock[16] == UInt8(ascii: ":") else { return nil }
        let fraction = rest.prefix { $0 == UInt8(ascii: ".") || 0x30...0x39 ~= $0 }
        let day = String(decoding: clock[..<10], as: UTF8.self)
        let hour = String(decoding: clock[11...], as: UTF8.self)
        localTime = "\(day)T\(hour)\(String(decoding: fraction, as: UTF8.self))"
        self.utcOffset = time.offset ?? utcOffset
    }

    /// The day on the participant's calendar, such as `2026-08-11`.
    public var day: String { String(localTime.prefix(10)) }

    /// The instant; nil if the clock's offset is unknown.
    public var date: Date? {
        utcOffset.flatMap { offset in Timestamp.parse(localTime)?.date.addingTimeInterval(-Double(offset)) }
    }

    /// The offset as the service writes it: `02:00:00`, `-05:00:00`.
    var offsetText: String? {
        utcOffset.map { offset in
            let seconds = abs(offset)
            let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
            return (offset < 0 ? "-" : "") + parts.map { NumberText.digits($0, atLeast: 2) }.joined(separator: ":")
        }
    }

    /// Parses an offset as the service writes it, and `+02:00`; nil for anything else, and for a day or more.
    static func offset(_ text: String) -> Int? {
        let parts = text.drop { $0 == "-" || $0 == "+" }.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count == 2 ? UInt8($0).map(Int.init) : nil }
        guard 2...3 ~= parts.count, numbers.count == parts.count, text.utf8.count <= parts.count * 3,
            numbers[0] < 24, numbers[1...].allSatisfy({ $0 < 60 })
        else { return nil }
        let seconds = numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
        return text.hasPrefix("-") ? -seconds : seconds
    }
}

extension ObservedDate: CustomStringConvertible {
    /// The local time, followed by the offset if it is known: `2026-08-11T02:10:00+02:00`.
    public var description: String {
        guard let offsetText else { return localTime }
        let zone = offsetText.hasSuffix(":00") ? String(offsetText.dropLast(3)) : offsetText
        return "\(localTime)\(zone.hasPrefix("-") ? "" : "+")\(zone)"
    }
}

extension TapeFields {
    /// Decodes a local date, and its offset, which may be part of the text, in a field of its own, or missing. One that
    /// cannot be read counts as missing.
    fileprivate mutating func observedDate(_ name: StaticString, offset offsetName: StaticString) -> ObservedDate? {
        let date = optional(name) { (value) throws(TapeFailure) -> ObservedDate? in
            try value.parsed("it is not a date and time") { text -> ObservedDate?? in
                text.isEmpty ? .some(nil) : ObservedDate(String(decoding: text, as: UTF8.self)).map { .some($0) }
            }
        }
        let offset = optional(offsetName) { (value) throws(TapeFailure) -> Int? in
            try value.parsed("it is not an offset from UTC") { text -> Int?? in
                text.isEmpty ? .some(nil) : ObservedDate.offset(String(decoding: text, as: UTF8.self)).map { .some($0) }
            }
        }
        guard var date = date ?? nil else { return nil }
        // The offset in the text is that of its digits.
        if date.utcOffset == nil { date.utcOffset = offset ?? nil }
        return date
    }

    /// Decodes a JSON object, which is empty if it is missing.
    fileprivate mutating func members(_ name: StaticString) -> [String: JSONValue] {
        let members = optional(name) { (value) throws(TapeFailure) -> [String: JSONValue] in
            var members: [String: JSONValue] = [:]
            try value.fields().forEach { (name, value) throws(TapeFailure) in
                members[name] = try JSONValue(reading: value)
            }
            return members
        }
        return members ?? [:]
    }
}

// MARK: - Types

/// A type of version 2 device data in a project.
public struct DeviceDataV2Type: Codable, Hashable, Sendable {
    /// The namespace that the type belongs to.
    public var namespace: DeviceDataNamespace
    /// The type, spelled as its namespace does.
    public var type: String
    /// Whether the project collects the type, so that it can be queried; nil if the service doesn't state it.
    public var isEnabled: Bool?

    /// Creates a type for use in tests and previews.
    public init(namespace: DeviceDataNamespace, type: String, isEnabled: Bool? = true) {
        self.namespace = namespace
        self.type = type
        self.isEnabled = isEnabled
    }

    private enum CodingKeys: String, CodingKey {
        case namespace, type
        case isEnabled = "enabled"
    }
}

extension DeviceDataV2Type: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        namespace = try fields.required("namespace").word()
        type = try fields.required("type").lenientText()
        isEnabled = fields.flag("enabled")
    }
}

/// The types of version 2 device data in a project, in every namespace.
public struct DeviceDataV2TypesPage: ResultPage, Codable, Equatable {
    /// The type of the items.
    public typealias Element = DeviceDataV2Type

    public var items: [DeviceDataV2Type]
    public var unreadable: [UnreadableItem]

    /// Creates a list for use in tests and previews.
    public init(items: [DeviceDataV2Type], unreadable: [UnreadableItem] = []) {
        self.items = items
        self.unreadable = unreadable
    }

    /// Encodes the types as a bare array, as the service does.
    public func encode(to encoder: any Encoder) throws { try items.encode(to: encoder) }
}

extension DeviceDataV2TypesPage: Readable {
    // Medium confidence: a public program reads this response as a bare array.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        let list = try source.items(of: DeviceDataV2Type.self)
        self.init(items: list.items, unreadable: list.unreadable)
    }
}
