#if os(Linux)
    import Foundation
    import Pledge
    import PledgeHTTP
    import PledgeTestSupport
    import Testing

    /// Peers that never finish setting up a connection, so that the request is never sent. The limits on responses
    /// don't cover this. Endless responses are in `TransportFault.attacks`.
    @Suite("Connections whose setup never ends", .serialized)
    final class EndlessSetupTests: ServerSuite {
        private static let refusal =
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\nTransfer-Encoding: chunked\r\n\r\n"

        /// Newer versions of libcurl have a limit on the number of header lines themselves.
        private static let tooManyLines = ["the proxy's response never ends", "the proxy's response is not valid HTTP"]

        @Test(
            "A proxy that never ends its response is abandoned, and doesn't delay other requests",
            arguments: [
                ("chunks", refusal, "1\r\nx\r\n", ["the proxy's response never ends"]),
                ("a chunk", refusal + "fffffff\r\n", "x", ["the proxy's response never ends"]),
                ("a chunk's extension", refusal + "5;", "x", ["the proxy's response never ends"]),
                ("trailers", refusal + "0\r\n", "A: b\r\n", tooManyLines + ["the proxy asks for a password"]),
                ("headers", "HTTP/1.1 200 OK\r\n", "A: b\r\n", tooManyLines),
                ("interim responses", "", "HTTP/1.1 103 Early\r\n\r\n", ["the proxy refused"]),
            ])
        func proxy(kind: String, beginning: String, repeated: String, words: [String]) async throws {
            let proxy = try ByteServer.endless(Data(beginning.utf8), then: Data(repeated.utf8))
            defer { proxy.stop() }
            let rule = ProxyRule(try #require(URL(string: "http://127.0.0.1:\(proxy.port)")))
            try await expect(oneOf: words.map(TransportError.unreachable), from: "https://service.example/", over: rule)
        }

        @Test(
            "A server that never ends its TLS greeting is abandoned each time, and other requests continue after that")
        func greeting() async throws {
            // A TLS 1.2 HelloRequest, which asks the client to begin a handshake. The client ignores it during a
            // handshake.
            let server = try ByteServer.endless(then: Data([0x16, 3, 3, 0, 4, 0, 0, 0, 0]))
            defer { server.stop() }
            let other = try self.server { _ in .text("other") }
            var options = CurlTransport.Options()
            options.connectTimeout = 1
            let transport = try CurlTransport(options)
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            for _ in 1...2 {
                // The timeout is so long that only the limit for connecting can end the exchange.
                let endless = transport.send(OutgoingRequest(url: url, timeout: 3600)).timeout(seconds: 600)
                await #expect(throws: TransportError.unreachable("no connection in time")) { try await endless.value }
                #expect(try await transport.send(OutgoingRequest(url: other.baseURL)).value.status == 200)
            }
        }

        @Test(
            "A server that never stops issuing TLS session tickets is abandoned in time, and other requests continue after that",
            .needs("openssl"))
        func tickets() async throws {
            let authority = try CertificateAuthority()
            let server = try authority.server(nil, tickets: 10_000_000)
            defer { server.stop() }
            // The server issues the tickets after the handshake, so the request has been sent.
            let transport = try authority.transport()
            let endless = transport.send(OutgoingRequest(url: server.address, timeout: 0.5))
            let other = try self.server { _ in .text("other") }
            await #expect(throws: TransportError.timedOut(seconds: 0.5)) { try await endless.value }
            #expect(try await transport.send(OutgoingRequest(url: other.baseURL)).value.status == 200)
        }

        @Test("Once a request was sent, its response may take longer than the time limit for connecting")
        func slowResponse() async throws {
            let slow = try server { _ in .text("slow").delayed(by: 3.5) }
            var options = CurlTransport.Options()
            options.connectTimeout = 2
            let transport = try CurlTransport(options)
            #expect(try await transport.send(OutgoingRequest(url: slow.baseURL)).value.status == 200)
        }

        private func expect(oneOf errors: [TransportError], from address: String, over proxy: ProxyRule) async throws {
            let other = try server { _ in .text("other") }
            var options = CurlTransport.Options()
            options.proxy = proxy
            options.connectTimeout = 3600
            let transport = try CurlTransport(options)
            let url = try #require(URL(string: address))

            // The timeout is so long that only the transport's own limit can end the exchange. The test gives up
            // earlier.
            let endless = transport.send(OutgoingRequest(url: url, timeout: 3600)).timeout(seconds: 600)
            // The first of these requests starts together with the endless exchange, and the others start during it.
            for _ in 0..<3 {
                let response = transport.send(OutgoingRequest(url: other.baseURL, timeout: 3600)).timeout(seconds: 600)
                #expect(try await response.value.status == 200)
            }
            let error = try #require(await endless.failure() as? TransportError)
            #expect(errors.contains(error), "\(error)")
        }
    }
#endif
