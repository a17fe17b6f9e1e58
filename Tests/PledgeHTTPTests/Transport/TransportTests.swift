import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHTTP
@testable import PledgeServer

/// The requirements for every transport.
@Suite("A transport", .serialized)
final class TransportTests: ServerSuite {
    typealias Kind = StandardTransport.Kind

    @Test(
        "A transport sends the method, headers, and UTF-8 body as given, and accepts an unlimited timeout",
        arguments: Kind.allCases, [TimeInterval.infinity, .greatestFiniteMagnitude])
    func exchange(kind: Kind, timeout: TimeInterval) async throws {
        let server = try server { request in
            ServerResponse(status: 201, headers: ["X-Echo": request.headers["Content-Type"] ?? ""], body: request.body)
        }
        let headers: HeaderFields = ["X-Empty": "", "X-Word": "grün; a=\"b\"", "Content-Type": "text/plain"]
        let request = OutgoingRequest(
            method: .post, url: server.baseURL, headers: headers, body: Data("körper".utf8), timeout: timeout)
        let response = try await StandardTransport(kind).send(request).value
        #expect(response.status == 201 && response.headers["x-echo"] == "text/plain")
        #expect(String(decoding: response.body, as: UTF8.self) == "körper")
        #expect(server.requests.map(\.method) == ["POST"])
        #expect(server.requests.first?.headers["X-Word"] == "grün; a=\"b\"")
        if kind == .curl { #expect(server.requests.first?.headers["X-Empty"] == "") }
    }

    @Test("A transport reuses its connection for consecutive requests of different methods", arguments: Kind.allCases)
    func methods(kind: Kind) async throws {
        let server = try server { .text("\($0.method) \($0.body.count)") }
        let transport = StandardTransport(kind)
        let sent: [(HTTPMethod, Data?)] = [
            (.post, Data("abc".utf8)), (.get, nil), (.put, Data("ab".utf8)), (.head, nil), (.delete, nil), (.post, nil),
            (.get, nil),
        ]
        // Sends the requests in a chain of promises. If the test awaited each response instead, its task could have to
        // wait for more than two minutes before it continues, and libcurl would close the idle connection meanwhile.
        let bodies = sent.reduce(Promise.value([String]())) { chain, next in
            chain.then { bodies in
                transport.send(OutgoingRequest(method: next.0, url: server.baseURL, body: next.1, timeout: 600))
                    .map { bodies + [String(decoding: $0.body, as: UTF8.self)] }
            }
        }
        #expect(try await bodies.value == ["POST 3", "GET 0", "PUT 2", "", "DELETE 0", "POST 0", "GET 0"])
        #if os(Linux)
            // With URLSession, each POST has its own connection; the table of faults explains why.
            #expect(server.acceptedConnections == (transport.kind == .urlSession ? 3 : 1))
        #else
            #expect(server.acceptedConnections == 1)
        #endif
    }

    @Test(
        "A transport announces the length of an empty body for POST, PUT, and PATCH, but not for GET",
        arguments: Kind.allCases)
    func lengths(kind: Kind) async throws {
        let server = try server { .text("\($0.headers["Content-Length"] ?? "none")") }
        let lengths: [(HTTPMethod, String)] = [
            (.post, "0"), (.put, "0"), (.patch, "0"), (.get, "none"), (.put, "0"),
        ]
        for (method, length) in lengths {
            let response = try await StandardTransport(kind).send(OutgoingRequest(method: method, url: server.baseURL))
                .value
            #expect(String(decoding: response.body, as: UTF8.self) == length, "\(method)")
            #expect(server.requests.last?.headers["Content-Type"] == nil && server.requests.last?.body.isEmpty == true)
        }
    }

    @Test(
        "A transport refuses a GET or HEAD with a body, because transports and servers treat it differently",
        arguments: Kind.allCases
    )
    func bodyOfGet(kind: Kind) async throws {
        let server = try server { ServerResponse.empty(200, headers: ["X-Sent": "\($0.method) \($0.body.count)"]) }
        for method in [HTTPMethod.get, .head] {
            let request = OutgoingRequest(method: method, url: server.baseURL, body: Data("a".utf8))
            let words = "a \(method) has no body: put the values into the query, or use POST"
            await #expect(throws: TransportError.unsendable(words)) {
                try await StandardTransport(kind).send(request).value
            }
        }
        #expect(server.requests.isEmpty)
        for (method, body) in [(HTTPMethod.get, ""), (.head, ""), (.delete, "a")] {
            let request = OutgoingRequest(method: method, url: server.baseURL, body: Data(body.utf8))
            let response = try await StandardTransport(kind).send(request).value
            #expect(response.headers["X-Sent"] == "\(method) \(body.count)")
        }
    }

    @Test(
        "A transport refuses a response as soon as its headers announce a body above the limit",
        arguments: Kind.allCases, [false, true])
    func announcedLength(kind: Kind, toFile: Bool) async throws {
        let server = try server { request in
            switch request.queryValue("body") {
            case "whole": .text(String(repeating: "a", count: 1000))
            case "packed": ServerResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: Self.packed)
            default: .steps([.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"), .wait])
            }
        }
        let folder = try TemporaryFolder()
        let transport = StandardTransport(kind)
        func outcome(_ method: HTTPMethod, _ query: String) async throws -> String {
            let url = try #require(URL(string: "\(server.baseURL)?\(query)"))
            var request = OutgoingRequest(method: method, url: url, timeout: 600, bodyLimit: 1000)
            if toFile { request.responseFile = ResponseFile(url: folder.url.appendingPathComponent("a"), limit: 1000) }
            return switch await transport.send(request).settled().value {
            case .success(let response): "\(response.status)"
            case .failure(let error): "\(error)"
            }
        }
        #expect(try await outcome(.get, "") == "the response is larger than 1000 bytes")
        #expect(try await outcome(.get, "body=whole") == "200")
        #expect(try await outcome(.get, "body=packed") == "200")
        #expect(try await outcome(.head, "") == "200")
    }

    /// The letter a, packed by gzip into 1001 bytes. Most of them are the name of a file, in the header.
    private static let packed =
        Data([0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3]) + Data(repeating: UInt8(ascii: "n"), count: 976)
        + Data([0, 1, 1, 0, 0xFE, 0xFF, UInt8(ascii: "a"), 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0])

    @Test("An HTTPS address whose service doesn't encrypt is reported as untrusted", arguments: Kind.allCases)
    func noEncryption(kind: Kind) async throws {
        let port = try server { _ in .text("there") }.baseURL.port ?? 0
        let address = try #require(URL(string: "https://127.0.0.1:\(port)/"))
        let error = await StandardTransport(kind).send(OutgoingRequest(url: address, timeout: 600)).failure()
        guard case .untrusted = error as? TransportError else { throw error ?? Fault.one }
    }

    @Test("A transport neither stores nor sends cookies", arguments: Kind.allCases)
    func cookies(kind: Kind) async throws {
        let server = try server { _ in .empty(200, headers: ["Set-Cookie": "a=b"]) }
        let transport = StandardTransport(kind)
        for _ in 0..<2 { _ = try await transport.send(OutgoingRequest(url: server.baseURL, timeout: 600)).value }
        #expect(server.requests.allSatisfy { $0.headers["Cookie"] == nil })
    }

    @Test("A transport completes many simultaneous requests over few connections", arguments: Kind.allCases)
    func many(kind: Kind) async throws {
        let server = try server { .text($0.queryValue("n") ?? "") }
        let transport = StandardTransport(kind, requestsInFlight: 6)
        let calls = try (0..<300).map { number in
            let url = try #require(URL(string: "\(server.baseURL)?n=\(number)"))
            return transport.send(OutgoingRequest(url: url, timeout: 600)).map {
                String(decoding: $0.body, as: UTF8.self)
            }
        }
        let bodies = try await when(fulfilled: calls).value
        #expect(bodies == (0..<300).map(String.init))
        // URLSession on Linux drops connections and opens others.
        if kind == .curl { #expect(server.acceptedConnections <= 6) }
    }

    @Test(
        "A transport lets requests to a busy host wait, but still sends requests to other hosts",
        arguments: Kind.allCases)
    func origins(kind: Kind) async throws {
        let (busy, free) = (try server { _ in .steps([.wait]) }, try server { .text("\($0.method)") })
        let transport = StandardTransport(kind, requestsInFlight: 2)
        let slow = (0..<6).map { _ in transport.send(OutgoingRequest(url: busy.baseURL, timeout: 600)) }
        await Wait.until { busy.requests.count == 2 }
        for _ in 0..<5 { _ = try await transport.send(OutgoingRequest(url: free.baseURL)).value }
        #expect(slow.allSatisfy(\.isPending) && busy.requests.count == 2)
        // The error of a call that is still waiting at its total timeout says what the call waited for.
        var options = EndpointClient.Options()
        (options.transport, options.totalTimeout, options.timeout) = (transport, 0.3, 0.1)
        let client = EndpointClient(baseURL: busy.baseURL, options: options)
        let error = try #require(await client.value(of: Endpoint<Void>(.get, "")).failure() as? ExchangeError)
        #expect(error.description.contains("no response within 0.3 s. It waited for other requests to the same host"))
        for call in slow { call.cancel() }
        let freed = EndpointClient(baseURL: free.baseURL, options: options.with { $0.totalTimeout = 600 })
        _ = try await freed.value(of: Endpoint<Void>(.get, "")).value
    }

    @Test("A response's handler can send the next request, even in many chains at once", arguments: Kind.allCases)
    func chained(kind: Kind) async throws {
        let body = Data(repeating: 0x20, count: 200_000)
        let server = try server { _ in ServerResponse(status: 200, body: body) }
        let transport = StandardTransport(kind, requestsInFlight: 64)
        let request = OutgoingRequest(url: server.baseURL, timeout: 600)
        @Sendable func sent(_ count: Int) -> Promise<Void> {
            transport.send(request).then(on: nil) { _ in count > 1 ? sent(count - 1) : Promise() }
        }
        _ = try await when(fulfilled: (0..<64).map { _ in sent(5) }).value
        #expect(server.requests.count == 320)
    }

    @Test("A transport closes the connections of canceled requests, and continues to work", arguments: Kind.allCases)
    func cancelled(kind: Kind) async throws {
        let server = try server { $0.queryValue("n") == nil ? .text("there") : .silence }
        let transport = StandardTransport(kind, requestsInFlight: 2)
        let silent = try #require(URL(string: "\(server.baseURL)?n=1"))
        let calls = (0..<5).map { _ in transport.send(OutgoingRequest(url: silent, timeout: 600)) }
        await Wait.until { server.requests.count == 2 }
        // Cancels from the last request to the first, because canceling a running request would start a waiting one.
        for call in calls.reversed() { call.cancel() }
        for call in calls { #expect(call.error?.isCancelled == true) }
        await Wait.until { server.openConnections == 0 }
        #expect(try await transport.send(OutgoingRequest(url: server.baseURL, timeout: 600)).value.status == 200)
        #expect(server.requests.count == 3)
    }

    @Test("A transport keeps working when requests are canceled at any moment", arguments: Kind.allCases)
    func cancelledAnytime(kind: Kind) async throws {
        let server = try server { _ in .text("there") }
        let transport = StandardTransport(kind, requestsInFlight: 4)
        for round in 0..<100 {
            let calls = (0..<4).map { _ in transport.send(OutgoingRequest(url: server.baseURL, timeout: 600)) }
            if round % 4 == 1 { _ = await calls[3].settled().value }
            if round % 4 == 2 { await Task.yield() }
            for call in calls.dropLast(round % 2) { call.cancel() }
            for call in calls { _ = await call.settled().value }
        }
        #expect(try await transport.send(OutgoingRequest(url: server.baseURL, timeout: 600)).value.status == 200)
    }

    @Test(
        "A transport returns a 401 with its challenge as a response, without asking for a password",
        arguments: Kind.allCases)
    func challenge(kind: Kind) async throws {
        #if compiler(>=6.1) || canImport(Darwin)
            let challenge = "Basic realm=x"
        #else
            // With Swift 6.0 on Linux, `URLSession` ends the process if a realm has no quotation marks.
            let challenge = kind == .urlSession ? "Basic realm=\"x\"" : "Basic realm=x"
        #endif
        let server = try server { _ in .empty(401, headers: ["WWW-Authenticate": challenge]) }
        let response = try await StandardTransport(kind).send(OutgoingRequest(url: server.baseURL, timeout: 600)).value
        #expect(response.status == 401 && response.headers["WWW-Authenticate"] == challenge)
    }

    @Test(
        "A transport releases a completed request, whether or not other requests are waiting", arguments: Kind.allCases,
        [0, 3])
    func answered(kind: Kind, others: Int) async throws {
        let server = try server { $0.queryValue("n") == nil ? .text("there") : .silence }
        let transport = StandardTransport(kind, requestsInFlight: 1)
        let silent = try #require(URL(string: "\(server.baseURL)?n=1"))
        weak var answered: AnyObject?
        let waiting: [Promise<RawResponse>]
        do {
            let first = transport.send(OutgoingRequest(url: server.baseURL, timeout: 600))
            waiting = (0..<others).map { _ in transport.send(OutgoingRequest(url: silent, timeout: 600)) }
            answered = first.storage
            #expect(try await first.value.status == 200)
        }
        await Wait.until { server.requests.count == 1 + min(others, 1) }
        await Wait.until { answered == nil }
        for call in waiting.reversed() { call.cancel() }
    }

    @Test("A transport that is released still completes its requests in progress", arguments: Kind.allCases)
    func released(kind: Kind) async throws {
        let server = try server { _ in .text("there") }
        let calls = (0..<20).map { _ in OutgoingRequest(url: server.baseURL, timeout: 600) }
            .map(StandardTransport(kind, requestsInFlight: 2).send)
        #expect(try await when(fulfilled: calls).value.allSatisfy { $0.status == 200 })
        await Wait.until { server.openConnections == 0 }
    }

    @Test("A transport sends no request whose method, URL, or headers could inject a header", arguments: Kind.allCases)
    func smuggling(kind: Kind) async throws {
        let server = try server { _ in .text("there") }
        let headers: [HeaderFields] = [
            ["X-Secret": "a\r\nY: b"], ["X-Secret\r\nY": "b"], ["X-Secret": "a\0b"], ["X-Secret": "a\u{7F}"], ["": "a"],
        ]
        let requests = [
            OutgoingRequest(method: HTTPMethod(rawValue: "GET / HTTP/1.1\r\nX: y"), url: server.baseURL),
            OutgoingRequest(url: URL(fileURLWithPath: "/etc/passwd")),
            OutgoingRequest(url: try #require(URL(string: "http://me:s3cr3t@127.0.0.1:\(server.baseURL.port ?? 0)/"))),
            OutgoingRequest(url: try #require(URL(string: "http://@127.0.0.1:\(server.baseURL.port ?? 0)/"))),
        ]
        for request in requests + headers.map({ OutgoingRequest(url: server.baseURL, headers: $0) }) {
            let error = await StandardTransport(kind).send(request).failure()
            guard case .unsendable = error as? TransportError else { throw error ?? Fault.one }
        }
        #expect(server.requests.isEmpty)
    }

    @Test(
        "A transport reaches an IPv6 address, or reports that it couldn't send the request", .ipv6,
        arguments: Kind.allCases)
    func version6(kind: Kind) async throws {
        let server = try start(LoopbackServer(routes: [ServerRoute("GET /") { _ in .text("there") }], onIPv6: true))
        let address = try #require(URL(string: "http://[::1]:\(server.baseURL.port ?? 0)/"))
        let transport = StandardTransport(kind)
        let outcome = await transport.send(OutgoingRequest(url: address, timeout: 600)).settled().value
        #if os(Linux)
            if transport.kind == .urlSession {
                let words =
                    "URLSession does not accept the URL; on Linux, it doesn't accept IPv6 addresses: use a host name, "
                    + "or libcurl"
                #expect(outcome.failure as? TransportError == .unsendable(words))
                return
            }
        #endif
        #expect(try outcome.get().status == 200)
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
