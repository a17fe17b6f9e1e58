import Foundation
import PledgeHTTP
import PledgeCoding

/// A question for device data of one namespace, newest first.
public struct DeviceDataQuery: PagedByID, Equatable {
    /// Where the data comes from.
    public var namespace: DeviceDataNamespace
    /// Which types; nil for all. ``ProjectDataCollectionSettings/queryableDeviceDataTypes`` has those there are.
    public var types: Set<String>?
    /// Only what was observed after this moment.
    public var observedAfter: Date?
    /// Only what was observed before this moment.
    public var observedBefore: Date?
    /// Only what changed at the service after this moment: the way to get what is new, since data can come late.
    public var modifiedAfter: Date?
    /// Only what changed at the service before this moment.
    public var modifiedBefore: Date?
    /// How many points are on a page at most, 1 to 100.
    public let limit: Int
    /// Which page; nil for the first.
    public var pageID: DeviceDataResultPage.PageID?

    /// A question. A limit beyond 1 to 100 is taken as the nearest of them.
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
}

/// A page of device data.
public struct DeviceDataResultPage: ResultPageWithID, Equatable {
    /// What is on it.
    public var content: PageContent<DeviceDataPoint>
    /// The points of this page, newest first.
    public var deviceDataPoints: [DeviceDataPoint] { content.items }

    /// Makes a page by hand, for tests and previews.
    public init(content: PageContent<DeviceDataPoint>) { self.content = content }
}

extension DeviceDataResultPage: Readable {
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        content = try source.page("deviceDataPoints")
    }
}
