import CTransports
import Foundation

/// A client that can keep some requests in flight. It keeps its connections from one run to the next.
protocol Contender {
    /// Sends requests, always so many in flight, and reads and checks every response.
    func run(_ requests: Int) throws -> Cost
}

/// What requests took.
struct Cost {
    /// CPU seconds of the client's process, each.
    var cpu: Double
    /// Seconds, each.
    var time: Double

    init(cpu: Double, time: Double, requests: Int) {
        self.cpu = cpu / Double(requests)
        self.time = time / Double(requests)
    }

    /// What this process spends on them. Nobody else is to be busy in it.
    init(of requests: Int, _ work: () throws -> Void) rethrows {
        let (cpu, start) = (transports_cpu_seconds(), DispatchTime.now().uptimeNanoseconds)
        try work()
        let time = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        self.init(cpu: transports_cpu_seconds() - cpu, time: time, requests: requests)
    }
}

/// Who takes part, and how to make one for a number of requests in flight.
enum Kind: String, CaseIterable {
    case floor = "libcurl, C"
    case curl = "CurlTransport"
    case asyncFutures = "AsyncHTTPClient, futures"
    case asyncAwait = "AsyncHTTPClient, async"
    case aiohttp = "Python aiohttp"
    case urlSession = "URLSessionTransport"

    /// Enough for a turn that is long beside a clock's step; the slow ones need fewer.
    func requests(_ inFlight: Int) -> Int {
        switch self {
        case .floor, .curl: inFlight == 1 ? 1_000 : 3_000
        case .asyncFutures, .asyncAwait: inFlight == 1 ? 500 : 1_500
        case .aiohttp, .urlSession: 512
        }
    }

    /// - Returns: nil when it cannot take part here.
    func contender(_ url: URL, inFlight: Int) throws -> (any Contender)? {
        switch self {
        case .floor: FloorContender(url, inFlight: inFlight)
        case .curl: try TransportContender.curl(url, inFlight: inFlight)
        case .asyncFutures: FuturesContender(url, inFlight: inFlight)
        case .asyncAwait: AsyncContender(url, inFlight: inFlight)
        case .aiohttp: AiohttpContender(url, inFlight: inFlight)
        case .urlSession: TransportContender.urlSession(url, inFlight: inFlight)
        }
    }
}
