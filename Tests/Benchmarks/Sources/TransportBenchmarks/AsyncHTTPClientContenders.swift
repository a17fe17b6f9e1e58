import AsyncHTTPClient
import Foundation
import NIOCore
import Pledge

extension HTTPClient {
    fileprivate static func forBenchmark(inFlight: Int) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = inFlight
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}

/// AsyncHTTPClient, used with its futures.
final class FuturesContender: Contender {
    private let client: HTTPClient
    private let url: String
    private let inFlight: Int

    init(_ url: URL, inFlight: Int) {
        client = .forBenchmark(inFlight: inFlight)
        self.url = url.absoluteString
        self.inFlight = inFlight
    }

    deinit {
        try? client.syncShutdown()
    }

    func run(_ requests: Int) throws -> Cost {
        try Cost(of: requests) {
            let left = Countdown(requests)
            let request = try HTTPClient.Request(url: url)
            let loop = client.eventLoopGroup.any()
            let chains = (0..<inFlight).map { _ in Self.chain(client, request, left, on: loop) }
            try EventLoopFuture.andAllSucceed(chains, on: loop).wait()
        }
    }

    /// Sends requests one after the other until none are left.
    private static func chain(
        _ client: HTTPClient, _ request: HTTPClient.Request, _ left: Countdown, on loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        @Sendable func next() {
            guard left.take() else { return promise.succeed() }
            client.execute(request: request).whenComplete { result in
                switch result {
                case .failure(let error): promise.fail(error)
                case .success(let response):
                    guard response.status == .ok, response.body?.readableBytes == Response.length else {
                        return promise.fail(Problem("A bad response."))
                    }
                    next()
                }
            }
        }
        next()
        return promise.futureResult
    }
}

/// AsyncHTTPClient, used with `await`.
final class AsyncContender: Contender {
    private let client: HTTPClient
    private let url: String
    private let inFlight: Int

    init(_ url: URL, inFlight: Int) {
        client = .forBenchmark(inFlight: inFlight)
        self.url = url.absoluteString
        self.inFlight = inFlight
    }

    deinit {
        try? client.syncShutdown()
    }

    func run(_ requests: Int) throws -> Cost {
        try Cost(of: requests) {
            let (client, request, inFlight) = (client, HTTPClientRequest(url: url), inFlight)
            let left = Countdown(requests)
            try Promise {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<inFlight {
                        group.addTask {
                            while left.take() {
                                let response = try await client.execute(request, timeout: .seconds(30))
                                let body = try await response.body.collect(upTo: 1 << 20)
                                guard response.status == .ok, body.readableBytes == Response.length else {
                                    throw Problem("A bad response.")
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }.wait()
        }
    }
}
