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
    @available(*, noasync, message: "await it in an async function: a script's top level takes it for its promise")
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
