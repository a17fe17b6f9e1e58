import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

extension ServiceAccount {
    /// Fetches all types of version 2 device data in a project, in every namespace.
    /// `GET api/v2/administration/projects/<id>/devicedatapoints/alldatatypes`
    ///
    /// You can query only types that are enabled. The path is not documented: it is known only from a public program.
    /// See <doc:DeviceDataVersion2>.
    public func deviceDataV2Types(in project: Project.ID) -> Promise<DeviceDataV2TypesPage> {
        let project = PathSegments.encoded(project.value)
        // Medium confidence: one public program uses this path, and the same path under `api/v1` is well known. It is
        // not known whether the service filters the types by namespace or by `enabled`, so no filters are sent.
        let path = "api/v2/administration/projects/\(project)/devicedatapoints/alldatatypes"
        return send(Endpoint<DeviceDataV2TypesPage>(.get, path)).map(on: nil, \.value)
    }
}

// MARK: - Points

/// A query for version 2 device data: the points of one type in a project. Pass it to ``ServiceAccount/pages(_:)``.
///
/// Google Health, Health Connect, Oura, and Dexcom exist only in version 2. <doc:DeviceDataVersion2> says what is known
/// about version 2, and how it became known.
public struct DeviceDataV2Query: PagedByID, Equatable {
    /// The project that the participants belong to.
    public var project: Project.ID
    /// The namespace of the data.
    public var namespace: DeviceDataNamespace
    /// The type of the points. Each namespace spells its types in its own way, such as `steps-daily` or
    /// `Resting Heart Rate`. ``ServiceAccount/deviceDataV2Types(in:)`` returns the types of a project.
    public var type: String
    /// The project's identifier for the participant. It is not known whether the service accepts a query without a
    /// participant.
    public var participantIdentifier: String?
    /// The lower limit for the date of observation, exclusive; nil for no limit. See ``observationMargin``.
    public var observedAfter: Date?
    /// The upper limit for the date of observation, exclusive; nil for no limit. See ``observationMargin``.
    public var observedBefore: Date?
    /// The lower limit for the date of the last change, exclusive; nil for no limit.
    ///
    /// The vendor documents this filter and the next three for its web SDK. It is not known whether the service accepts
    /// them in this path.
    public var modifiedAfter: Date?
    /// The upper limit for the date of the last change, exclusive; nil for no limit. See ``modifiedAfter``.
    public var modifiedBefore: Date?
    /// The lower limit for the date of storage, exclusive; nil for no limit. See ``modifiedAfter``.
    public var insertedAfter: Date?
    /// The upper limit for the date of storage, exclusive; nil for no limit. See ``modifiedAfter``.
    public var insertedBefore: Date?
    public let limit: Int
    public var pageID: DeviceDataV2ResultPage.PageID?

    /// The time to add at each end of a range of observation dates. It is one day, in seconds.
    ///
    /// It is not known how the service compares ``observedAfter`` and ``observedBefore`` with a point. It may use the
    /// instant of the observation, or the date and time that the participant's clock showed.
    ///
    /// The vendor's own code therefore requests one more day at each end. Then it selects the points whose
    /// ``ObservedDate/day`` is in the range. Your code should do the same.
    public static let observationMargin: TimeInterval = 86_400

    /// The default page size.
    ///
    /// The size is the same as in version 1, because the vendor doesn't document the page sizes of version 2. The
    /// vendor's own code requests pages of 1 or 10 points.
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
        // Medium confidence: three public programs use this path with `participantIdentifier`. The other parameters
        // have the names that the vendor documents for its web SDK. The web SDK also has `dataSource` and `properties`.
        // They are maps, and it is not known how a query item represents a map, so this query doesn't have them.
        var endpoint = list(
            "api/v2/administration/projects/\(project)/devicedatapoints",
            [
                "namespace": namespace,
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
        // If the service ignored the filter, it would send the points of all participants, and they would be taken for
        // points of this participant. So a page with a point of another participant is an error.
        endpoint.decode = { [decode = endpoint.decode] response, coding in
            let page = try decode(response, coding)
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
    // Medium confidence: public programs find the points under this name, which is the same as in version 1.
    @usableFromInline package static let list: StaticString = "deviceDataPoints"
    public var content: PageContent<DeviceDataPointV2>
    /// The points of this page.
    public var deviceDataPoints: [DeviceDataPointV2] { content.items }

    public init(content: PageContent<DeviceDataPointV2>) { self.content = content }
}

/// A measurement or another value in version 2 of device data.
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
    /// The type of the point, in the spelling of its namespace.
    public var type: String
    /// The source's identifier for the point. It may be empty.
    public var identifier: String?
    /// The value as text. It is a number, or a word such as a stage of sleep. It may be empty: Oura, for example, sends
    /// numbers in ``properties`` instead.
    public var value: String
    /// The unit of the value. It may be empty.
    public var units: String?
    /// The time at which the observation began.
    public var startDate: ObservedDate?
    /// The time of the observation. If the observation lasted for some time, it is the time at which the observation
    /// ended.
    public var observationDate: ObservedDate?
    /// The date on which the service stored the point.
    public var insertedDate: Date
    /// The date on which the point was last changed in the service.
    public var modifiedDate: Date
    /// Additional properties, as provided by the source.
    public var properties: [String: JSONValue]
    /// Properties of the device or app that the point comes from, such as `sourceName` or `dataOriginPackageName`.
    /// There are often none.
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

    /// The day on the participant's calendar that the point belongs to, such as `2026-08-11`; nil if the point has no
    /// date.
    ///
    /// It is the day of ``observationDate`` or, if there is no such date, the day of ``startDate``. So a night belongs
    /// to the day on which the night ended.
    ///
    /// There is one exception. A value that ends exactly at midnight, such as the steps of a whole day, belongs to the
    /// day of its ``startDate``.
    public var day: String? {
        guard let end = observationDate else { return startDate?.day }
        return end.isMidnight ? startDate?.day ?? end.day : end.day
    }

    private enum CodingKeys: String, CodingKey {
        case id, participantID, participantIdentifier, namespace, type, identifier, value, units
        case startDate, startDateOffset, observationDate, observationDateOffset, insertedDate, modifiedDate
        case properties, dataSource
    }

    /// Encodes the point with the service's names. The UTC offset of a date has a field of its own beside the local
    /// time.
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
        participantID = fields.anyText("participantID").map { .init($0) }
        participantIdentifier = fields.anyText("participantIdentifier")
        namespace = try fields.required("namespace").word()
        type = try fields.required("type").lenientText()
        identifier = fields.anyText("identifier")
        let text = fields.anyText("value")
        // A missing value and null are errors, because neither of them means an empty text.
        value = if let text { text } else { try fields.required("value").text() }
        units = fields.anyText("units")
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
/// The dates of version 2 are local times. ``day`` and ``localTime`` are always known. ``date`` is an instant, and it
/// is nil if the UTC offset is unknown.
public struct ObservedDate: Hashable, Sendable {
    /// The date and time that the clock showed, such as `2026-08-11T02:10:00`. It has a fraction of a second if the
    /// service sent one.
    public let localTime: String
    /// The clock's offset from UTC in seconds; nil if the service doesn't state it.
    public fileprivate(set) var utcOffset: Int?

    /// Creates a date from a text such as `2026-08-11T02:10:00`, which may end with a UTC offset. Returns nil if the
    /// text is not a date and time, or if the UTC offset is a day or more.
    ///
    /// - Parameters:
    ///   - text: The date and time. If the text contains a UTC offset, that offset is used, and `utcOffset` is ignored.
    ///   - utcOffset: The UTC offset in seconds for a text without an offset; nil if it is unknown.
    public init?(_ text: String, utcOffset: Int? = nil) {
        guard text.utf8.count >= 19, let time = Timestamp.parse(text), -86_400 < utcOffset ?? 0, utcOffset ?? 0 < 86_400
        else { return nil }
        let clock = Array(text.utf8.prefix(19))
        let rest = text.utf8.dropFirst(19)
        // The service always sends seconds, so a time without seconds is not accepted.
        guard clock[16] == UInt8(ascii: ":") else { return nil }
        let fraction = rest.prefix { $0 == UInt8(ascii: ".") || 0x30...0x39 ~= $0 }
        let day = String(decoding: clock[..<10], as: UTF8.self)
        let hour = String(decoding: clock[11...], as: UTF8.self)
        localTime = "\(day)T\(hour)\(String(decoding: fraction, as: UTF8.self))"
        self.utcOffset = time.offset ?? utcOffset
    }

    /// The day on the participant's calendar, such as `2026-08-11`.
    public var day: String { String(localTime.prefix(10)) }

    /// Whether the clock showed midnight, with or without a fraction of a second.
    var isMidnight: Bool { localTime.dropFirst(10).allSatisfy { "T00:00:00.".contains($0) } }

    /// The instant; nil if the clock's UTC offset is unknown.
    public var date: Date? {
        utcOffset.flatMap { offset in Timestamp.parse(localTime)?.date.addingTimeInterval(-Double(offset)) }
    }

    /// The UTC offset in the form in which the service writes it, such as `02:00:00` or `-05:00:00`.
    var offsetText: String? {
        utcOffset.map { offset in
            let seconds = abs(offset)
            let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
            return (offset < 0 ? "-" : "") + parts.map { NumberText.digits($0, atLeast: 2) }.joined(separator: ":")
        }
    }

    /// Parses a UTC offset in the service's form, such as `02:00:00`, or in the form `+02:00`. Returns nil for any
    /// other text, and for an offset of a day or more.
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
    /// Decodes a local date and its UTC offset. The offset may be part of the date's text, or in a field of its own, or
    /// missing. A date or an offset that can't be decoded counts as missing.
    fileprivate mutating func observedDate(_ name: StaticString, offset offsetName: StaticString) -> ObservedDate? {
        let date = optional(name) { (value) throws(TapeFailure) in
            try value.parsed("it is not a date and time") { ObservedDate(String(decoding: $0, as: UTF8.self)) }
        }
        let offset = optional(offsetName) { (value) throws(TapeFailure) in
            try value.parsed("it is not an offset from UTC") { text in
                ObservedDate.offset(String(decoding: text, as: UTF8.self))
            }
        }
        guard var date else { return nil }
        // If the date's text contains an offset, the local time in the text belongs to that offset, so the separate
        // field is ignored.
        if date.utcOffset == nil { date.utcOffset = offset }
        return date
    }

    /// Decodes a JSON object. If the field is missing, the result is empty.
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
    /// The type, in the spelling of its namespace.
    public var type: String
    /// Whether the project collects data of this type, so that you can query it; nil if the service doesn't state it.
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
    /// The type of the items on the page.
    public typealias Element = DeviceDataV2Type

    public var items: [DeviceDataV2Type]
    public var unreadable: [UnreadableItem]

    /// Creates a list for use in tests and previews.
    public init(items: [DeviceDataV2Type], unreadable: [UnreadableItem] = []) {
        self.items = items
        self.unreadable = unreadable
    }

    /// Encodes the types as a bare array, which is how the service sends them.
    public func encode(to encoder: any Encoder) throws { try items.encode(to: encoder) }
}

extension DeviceDataV2TypesPage: Readable {
    // Medium confidence: a public program reads this response as a bare array.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        let list = try source.items(of: DeviceDataV2Type.self)
        self.init(items: list.items, unreadable: list.unreadable)
    }
}
