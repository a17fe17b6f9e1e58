#if os(Linux)
    import Foundation
    import PledgeHTTP
    import PledgeTestSupport
    import Testing

    /// With nginx as the service.
    @Suite("HTTP/2", .serialized, .needs("nginx", "openssl"))
    struct HTTP2Tests {
        @Test("Many requests share one connection if the service offers HTTP/2")
        func oneConnection() async throws {
            let authority = try CertificateAuthority()
            let server = try authority.nginx()
            defer { server.stop() }
            let transport = try authority.transport(requestsInFlight: 32)
            let responses = try await when(
                fulfilled: (0..<200).map { _ in
                    transport.send(OutgoingRequest(url: server.address, timeout: 600)).map {
                        String(decoding: $0.body, as: UTF8.self)
                    }
                }
            ).value
            #expect(Set(responses.map { $0.split(separator: " ").first }) == ["HTTP/2.0"])
            #expect(Set(responses.map { $0.split(separator: " ").last }).count == 1)
        }
    }
#endif
