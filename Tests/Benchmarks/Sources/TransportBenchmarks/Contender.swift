import CTransports
import Foundation

/// A client that can keep several requests in flight. It keeps its connections between runs.
protocol Contender {
    /// Sends this many requests, and reads and checks every response. Always keeps as many requests in flight as the
    /// contender was created with.
    func run(_ requests: Int) throws -> Cost
}

/// The cost of a request.
struct Cost {
    /// The CPU seconds of the client's process, per request.
    var cpu: Double
    /// The seconds of wall time, per request.
    var time: Double

    init(cpu: Double, time: Double, requests: Int) {
        self.cpu = cpu / Double(requests)
        self.time = time / Double(requests)
    }

    /// Measures what this process spends on requests. Nothing else may be running in the process.
    init(of requests: Int, _ work: () throws -> Void) rethrows {
        let (cpu, start) = (transports_cpu_seconds(), DispatchTime.now().uptimeNanoseconds)
        try work()
        let time = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        self.init(cpu: transports_cpu_seconds() - cpu, time: time, requests: requests)
    }
}

/// The kinds of contenders.
enum Kind: String, CaseIterable {
    case floor = "libcurl, C"
    case curl = "CurlTransport"
    case asyncFutures = "AsyncHTTPClient, futures"
    case asyncAwait = "AsyncHTTPClient, async"
    case aiohttp = "Python aiohttp"
    case urlSession = "URLSessionTransport"

    /// Returns the number of requests that a contender sends in a turn. The number is so high that a turn takes long
    /// compared with the clock's resolution. Slow contenders need fewer requests for that.
    func requests(_ inFlight: Int) -> Int {
        switch self {
        case .floor, .curl: inFlight == 1 ? 1_000 : 3_000
        case .asyncFutures, .asyncAwait: inFlight == 1 ? 500 : 1_500
        case .aiohttp, .urlSession: 512
        }
    }

    /// - Returns: A contender, or nil if it isn't available on this machine.
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
