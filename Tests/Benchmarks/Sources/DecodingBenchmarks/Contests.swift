import ExistKit
import Foundation
import MyDataHelpsKit

/// Answers every request with the same bytes.
struct CannedTransport: HTTPTransport {
    let body: Data

    func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        .value(HTTPReply(url: request.url, status: 200, headers: ["Content-Type": "application/json"], body: body))
    }
}

/// Ours reads through the client, as a program does: only the network is left out.
func contests() throws -> [Contest] {
    func exist<Item, Peer: Decodable>(
        _ name: String, floor: Double, _ body: Data, _ query: ExistQuery<Item>, _ sum: @escaping (Item) -> Double,
        _ peer: Peer.Type, _ decoder: @escaping () -> JSONDecoder, _ peerSum: @escaping (Peer) -> Double
    ) -> Contest {
        let existAPI = ExistAPI(token: "token", transport: CannedTransport(body: body))
        return Contest(
            name: name, floor: floor,
            ours: { try existAPI.page(query).wait().page.results.reduce(0) { $0 + sum($1) } },
            theirs: { try decoder().decode(PeerPage<Peer>.self, from: body).results.reduce(0) { $0 + peerSum($1) } })
    }
    let points = Payload.deviceData
    let session = ParticipantSession(
        client: MyDataHelpsClient(transport: CannedTransport(body: points)),
        accessToken: ParticipantAccessToken(token: "token"))
    return [
        exist(
            "Exist, 100 attributes with 31 days of values", floor: 15, Payload.attributes, .attributesWithValues(),
            { $0.values.reduce(0) { $0 + ($1.value?.double ?? 0) } },
            PeerAttribute.self, PeerDecoders.days,
            { $0.values.reduce(0) { $0 + ($1.value.flatMap(Double.init) ?? 0) } }),
        exist(
            "Exist, 100 averages", floor: 5, Payload.averages, .averages(), { $0.overall ?? 0 },
            PeerAverage.self, PeerDecoders.days, { $0.overall }),
        exist(
            "Exist, 100 correlations", floor: 4, Payload.correlations, .correlations(), { $0.value },
            PeerCorrelation.self, PeerDecoders.days, { $0.value }),
        exist(
            "Exist, 100 insights", floor: 7, Payload.insights, .insights(), { $0.created.timeIntervalSince1970 },
            PeerInsight.self, PeerDecoders.moments, { $0.created.timeIntervalSince1970 }),
        Contest(
            name: "MyDataHelps, 100 points of device data", floor: 9,
            ours: {
                let page: DeviceDataResultPage = try session.queryDeviceData(DeviceDataQuery(namespace: .fitbit)).wait()
                return page.reduce(0) { $0 + $1.insertedDate.timeIntervalSince1970 }
            },
            theirs: {
                try PeerDecoders.eitherMoment().decode(PeerPoints.self, from: points).deviceDataPoints.reduce(0) {
                    $0 + $1.insertedDate.timeIntervalSince1970
                }
            }),
    ]
}
