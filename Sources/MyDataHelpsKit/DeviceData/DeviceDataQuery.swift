import Foundation
import PledgeHTTP
import PledgeCoding

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
