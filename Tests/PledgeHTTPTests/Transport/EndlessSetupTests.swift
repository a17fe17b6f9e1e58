#if os(Linux)
    import Foundation
    import Pledge
    import PledgeHTTP
    import PledgeTestSupport
    import Testing

    /// What never ends before a request is sent, which no limit on responses covers: those are in `TransportFault.attacks`.
    @Suite("A connection that never stops being set up", .serialized)
    final class EndlessSetupTests: ServerSuite {
        private static let refusal =
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\nTransfer-Encoding: chunked\r\n\r\n"

        @Test(
            "A proxy that never ends its response is abandoned, and delays no other exchange",
            arguments: [
                ("chunks", refusal, "1\r\nx\r\n", "the proxy's response never ends"),
                ("a chunk", refusal + "fffffff\r\n", "x", "the proxy's response never ends"),
                ("a chunk's extension", refusal + "5;", "x", "the proxy's response never ends"),
                ("trailers", refusal + "0\r\n", "A: b\r\n", "the proxy's response never ends"),
                ("headers", "HTTP/1.1 200 OK\r\n", "A: b\r\n", "the proxy's response never ends"),
                ("interim responses", "", "HTTP/1.1 103 Early\r\n\r\n", "the proxy refused"),
            ])
        func proxy(kind: String, beginning: String, repeated: String, words: String) async throws {
            let proxy = try ByteServer.endless(Data(beginning.utf8), then: Data(repeated.utf8))
            defer { proxy.stop() }
            let rule = ProxyRule(try #require(URL(string: "http://127.0.0.1:\(proxy.port)")))
            try await expect(.unreachable(words), from: "https://service.example/", over: rule)
        }

        @Test("A server that never ends its greeting is abandoned each time, and delays no other exchange")
        func greeting() async throws {
            // In TLS 1.2, a request to begin anew, which means nothing while one has begun.
            let server = try ByteServer.endless(then: Data([0x16, 3, 3, 0, 4, 0, 0, 0, 0]))
            defer { server.stop() }
            try await expect(
                .unreachable("the server never ends its greeting"), from: "https://127.0.0.1:\(server.port)/", times: 2)
        }

        @Test("A server that never stops issuing tickets is abandoned in time", .needs("openssl"))
        func tickets() async throws {
            let authority = try CertificateAuthority()
            let server = try authority.server(nil, tickets: 10_000_000)
            defer { server.stop() }
            // The latter where this machine reads more slowly than the server writes.
            let error = await thrown(TransportError.self) {
                try await authority.transport().send(OutgoingRequest(url: server.address, timeout: 0.5)).value
            }
            let words = "the server never ends its greeting"
            #expect([.timedOut(seconds: 0.5), .connectionLost(words), .unreachable(words)].contains(error))
        }

        private func expect(
            _ error: TransportError, from address: String, over proxy: ProxyRule = .none, times: Int = 1
        ) async throws {
            let other = try server { _ in .text("other") }
            var options = CurlTransport.Options()
            options.proxy = proxy
            options.connectTimeout = 3600
            let transport = try CurlTransport(options)
            let url = try #require(URL(string: address))

            for time in 1...times {
                // So long that only the exchange's own end can end it. The test gives up before.
                let endless = transport.send(OutgoingRequest(url: url, timeout: 3600)).timeout(seconds: 600)
                // Some begin with it, and some while it goes on.
                for _ in 0..<3 {
                    let response = transport.send(OutgoingRequest(url: other.baseURL, timeout: 3600)).timeout(
                        seconds: 600)
                    #expect(try await response.value.status == 200)
                }
                await #expect(throws: error) { try await endless.value }
                // So long that nobody looks any more until the next begins.
                if time < times { try await Task.sleep(for: .seconds(0.7)) }
            }
        }
    }
#endif
