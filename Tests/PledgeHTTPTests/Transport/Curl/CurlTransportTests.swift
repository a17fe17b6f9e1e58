#if os(Linux)
    import Foundation
    import FoundationNetworking
    import Pledge
    import PledgeTestSupport
    import Testing

    @testable import PledgeHTTP
    @testable import PledgeServer

    @Suite("The libcurl transport", .serialized)
    final class CurlTransportTests: ServerSuite {
        private func transport(_ change: (inout CurlTransport.Options) -> Void = { _ in }) throws -> CurlTransport {
            var options = CurlTransport.Options()
            change(&options)
            return try CurlTransport(options)
        }

        @Test("Each option of the libcurl transport has its effect, which doesn't occur without the option")
        func options() async throws {
            typealias Call = (CurlTransport, TimeInterval) async throws -> String
            let server = try server {
                $0.queryValue("stops") == nil ? .text("here") : .steps([.send("HTTP/1.1 200 OK\r\n"), .wait])
            }
            let stopping = try #require(URL(string: "\(server.baseURL)?stops=1"))
            // Accepts connections, but never answers the TLS handshake.
            let listener = try SystemSocket.openListener(port: 0)
            defer { SystemSocket.closeDescriptor(listener.descriptor) }
            let silent = try #require(URL(string: "https://127.0.0.1:\(listener.port)/"))
            let elsewhere = try #require(URL(string: "https://service.invalid/"))
            let failure = { (url: URL) -> Call in
                { transport, timeout in
                    let error = await transport.send(OutgoingRequest(url: url, timeout: timeout)).failure()
                    return error.map { "\($0)" } ?? "none"
                }
            }
            let rows: [String: (change: (inout CurlTransport.Options) -> Void, line: String, call: Call)] = [
                "requestsInFlight": (
                    { $0.requestsInFlight = 1 }, "second",
                    { transport, _ in
                        let first = transport.send(OutgoingRequest(url: stopping, timeout: 600))
                        var request = OutgoingRequest(url: server.baseURL, timeout: 600)
                        let isWaiting = Locked(false)
                        request.isWaiting = isWaiting
                        let second = transport.send(request)
                        if isWaiting.withLock({ $0 }) { first.cancel() }
                        _ = try await second.value
                        defer { first.cancel() }
                        return first.isPending ? "first" : "second"
                    }
                ),
                "connectTimeout": (
                    { $0.connectTimeout = 0.05 }, "no connection could be made (no connection in time)", failure(silent)
                ),
                "idleTimeout": ({ $0.idleTimeout = 0.05 }, "no data for 0.05 s", failure(stopping)),
                "proxy": (
                    { $0.proxy = ProxyRule(URL(fileURLWithPath: "/")) },
                    "the request was not sent (the proxy in the rule cannot be read: write it as http://host:port)",
                    failure(elsewhere)
                ),
                "trustedCertificates": (
                    { $0.trustedCertificates = URL(fileURLWithPath: "/nowhere.pem") },
                    "\(TransportError.untrusted("the file of trusted certificates cannot be read: is ca-certificates installed, and do CURL_CA_BUNDLE and SSL_CERT_FILE name a file?"))",
                    failure(silent)
                ),
            ]
            #expect(Set(Mirror(reflecting: CurlTransport.Options()).children.compactMap(\.label)) == Set(rows.keys))
            for (name, row) in rows {
                for isChanged in [false, true] {
                    let transport = try transport { if isChanged { row.change(&$0) } }
                    // With the option, only the option itself may end the request. Without it, the request may time out soon.
                    let line = try await row.call(transport, isChanged ? 600 : 1)
                    #expect((line == row.line) == isChanged, "\(name), \(isChanged ? "set" : "not set"): \(line)")
                }
            }
        }

        @Test(
            "By default, eight requests run at once and connecting may take ten seconds; other requests wait their turn"
        )
        func turns() async throws {
            #expect(CurlTransport.Options().requestsInFlight == 8 && CurlTransport.Options().connectTimeout == 10)
            let server = try server { _ in .text("a") }
            let transport = try transport { $0.requestsInFlight = 1 }
            let all = (0..<3).map { _ in transport.send(OutgoingRequest(url: server.baseURL, timeout: 600)) }
            await Wait.until { all.allSatisfy(\.isFulfilled) }
        }

        @Test("A response that stops arriving is abandoned; a response that arrives slowly isn't")
        func idle() async throws {
            let text = ServerResponse.text(String(repeating: "0123456789", count: 4))
            // libcurl measures its waits in real time. If the first limit is too short for a busy machine, the test
            // tries again with a longer one.
            for limit in [0.2, 3, 96] {
                let server = try server { request in
                    request.queryValue("stops") == nil
                        ? text.trickled(20, every: limit / 5) : .steps([.send("HTTP/1.1 200 OK\r\n"), .wait])
                }
                let transport = try transport { $0.idleTimeout = limit }
                let slow = await transport.send(OutgoingRequest(url: server.baseURL, timeout: 600)).settled().value
                guard case .success(let response) = slow else { continue }
                #expect(response.status == 200)
                let stopping = try #require(URL(string: "\(server.baseURL)?stops=1"))
                await #expect(throws: TransportError.stalled(seconds: limit)) {
                    try await transport.send(OutgoingRequest(url: stopping, timeout: 600)).value
                }
                return
            }
            Issue.record("a response that continued slowly was given up")
        }

        @Test("When a request times out, a waiting request starts")
        func room() async throws {
            let server = try server { $0.queryValue("stops") == nil ? .text("here") : .steps([.wait]) }
            #expect(CurlTransport.Options().requestsInFlight == 8)
            let transport = try transport { ($0.requestsInFlight, $0.idleTimeout) = (1, 600) }
            let stopping = try #require(URL(string: "\(server.baseURL)?stops=1"))
            let first = transport.send(OutgoingRequest(url: stopping, timeout: 0.05))
            let second = transport.send(OutgoingRequest(url: server.baseURL, timeout: 600))
            #expect(await first.failure() as? TransportError == .timedOut(seconds: 0.05))
            #expect(try await second.value.status == 200)
        }

        @Test("A connection that takes too long to set up is abandoned, long before the request's timeout")
        func connectTimeout() async throws {
            // Accepts the connection, but never answers the TLS handshake.
            let listener = try SystemSocket.openListener(port: 0)
            defer { SystemSocket.closeDescriptor(listener.descriptor) }
            let address = try #require(URL(string: "https://127.0.0.1:\(listener.port)/"))
            let transport = try transport { $0.connectTimeout = 0.1 }
            await #expect(throws: TransportError.unreachable("no connection in time")) {
                try await transport.send(OutgoingRequest(url: address)).value
            }
        }

        @Test("Repeated headers, continued header lines, and header bytes that aren't UTF-8 are read correctly")
        func headers() async throws {
            let server = try server { _ in
                .raw(
                    Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: 1\r\nA:2  \r\nB: x\r\n\ty\r\nC: ".utf8)
                        + Data([0xE9, 0x80]) + Data("\r\n\r\n".utf8))
            }
            let response = try await transport().send(OutgoingRequest(url: server.baseURL, timeout: 600)).value
            let foundations = response.urlResponse as? HTTPURLResponse
            #expect(foundations?.statusCode == 200 && foundations?.value(forHTTPHeaderField: "A") == "1, 2")
            let fields = response.headers.fields.map { "\($0.name)=\($0.value)" }.filter { !$0.hasPrefix("Content") }
            #expect(fields == ["A=1", "A=2", "B=x y", "C=é\u{80}"])
        }

        @Test("libcurl sends a path as written; a response has no headers from interim responses or trailers")
        func interim() async throws {
            let interim = "HTTP/1.1 103 Early Hints\r\nA: 1\r\n\r\n"
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Z\r\n\r\n"
            let server = try server { _ in .empty(500) }
            server.script.next(respond: .raw(Data("\(interim)\(head)2\r\nhi\r\n0\r\nZ: 1\r\n\r\n".utf8)))
            let url = try #require(URL(string: "\(server.baseURL)a/../b/./c%2F%41?d=/../e"))
            let response = try await transport().send(OutgoingRequest(url: url, timeout: 600)).value
            #expect(server.requests.map(\.target) == ["/a/../b/./c%2F%41?d=/../e"])
            #expect(response.headers["A"] == nil && response.headers["Z"] == nil && response.headers["Trailer"] == "Z")
            #expect(String(decoding: response.body, as: UTF8.self) == "hi")
        }
    }
#endif
