import CTransports
import Foundation
import Pledge
import PledgeHTTP

/// libcurl without anything around it.
final class FloorContender: Contender {
    private let floor: OpaquePointer

    init?(_ url: URL, inFlight: Int) {
        guard let floor = transports_floor_new(url.absoluteString, CInt(inFlight)) else { return nil }
        self.floor = floor
    }

    deinit {
        transports_floor_free(floor)
    }

    func run(_ requests: Int) throws -> Cost {
        try Cost(of: requests) {
            guard transports_floor_run(floor, CInt(requests), Response.length) else { throw Problem("A bad response.") }
        }
    }
}

/// A transport of this package, used with its promise.
struct TransportContender: Contender {
    let transport: any HTTPTransport
    let request: OutgoingRequest
    let inFlight: Int

    /// - Returns: A contender, or nil if the platform doesn't have this transport.
    static func curl(_ url: URL, inFlight: Int) throws -> TransportContender? {
        #if os(Linux)
            var options = CurlTransport.Options()
            options.requestsInFlight = inFlight
            return TransportContender(
                transport: try CurlTransport(options), request: OutgoingRequest(url: url), inFlight: inFlight)
        #else
            return nil
        #endif
    }

    static func urlSession(_ url: URL, inFlight: Int) -> TransportContender {
        TransportContender(
            transport: URLSessionTransport(connectionsPerHost: inFlight), request: OutgoingRequest(url: url),
            inFlight: inFlight)
    }

    func run(_ requests: Int) throws -> Cost {
        try Cost(of: requests) {
            let left = Countdown(requests)
            try when(fulfilled: (0..<inFlight).map { _ in chain(left) }).wait()
        }
    }

    /// Sends requests one after the other until none are left.
    private func chain(_ left: Countdown) -> Promise<Void> {
        let (promise, seal) = Promise<Void>.pending()
        @Sendable func next() {
            guard left.take() else { return seal.fulfill() }
            transport.send(request).pipe { result in
                switch result {
                case .failure(let error): seal.reject(error)
                case .success(let response):
                    guard response.status == 200, response.body.count == Response.length else {
                        return seal.reject(Problem("A bad response."))
                    }
                    next()
                }
            }
        }
        next()
        return promise
    }
}

/// Python's aiohttp, in a process that measures its own CPU time.
struct AiohttpContender: Contender {
    private let child: Child
    private let inFlight: Int

    /// - Returns: Nil if there is no Python with aiohttp. The environment variable `PYTHON` can name the Python to use.
    init?(_ url: URL, inFlight: Int) {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let script = folder.appendingPathComponent("aiohttp_client.py")
        let python = ProcessInfo.processInfo.environment["PYTHON"] ?? "python3"
        let arguments = [python, script.path, url.absoluteString, "\(Response.length)"]
        guard let child = try? Child(URL(fileURLWithPath: "/usr/bin/env"), arguments), child.readLine() == "ready"
        else { return nil }
        self.child = child
        self.inFlight = inFlight
    }

    func run(_ requests: Int) throws -> Cost {
        let figures = child.ask("\(requests) \(inFlight)")?.split(separator: " ").compactMap { Double($0) } ?? []
        guard figures.count == 2 else { throw Problem("aiohttp failed.") }
        return Cost(cpu: figures[0], time: figures[1], requests: requests)
    }
}
