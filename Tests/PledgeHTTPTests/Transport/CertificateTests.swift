import Foundation
import Pledge
import PledgeHTTP
import Testing

/// With `openssl s_server` as the service. Not over `URLSession` on Linux, which refuses such certificates too, but
/// without saying why, and now and then ends the process ("Transfer completed, but there's no response").
@Suite("A service's certificate", .serialized, .enabled(if: CertificateAuthority.isAvailable, "needs openssl"))
struct CertificateTests {
    @Test(
        "that is self-signed, expired or for another host is refused, and the error says which",
        arguments: CertificateAuthority.Flaw.allCases)
    func refused(flaw: CertificateAuthority.Flaw) async throws {
        let authority = try CertificateAuthority()
        defer { authority.remove() }
        let server = try authority.server(flaw)
        defer { server.stop() }
        let transport = try authority.transport()

        let result = await transport.send(OutgoingRequest(url: server.address, timeout: 60)).settled().value

        guard case .failure(let error as TransportError) = result, case .untrusted(let reason) = error else {
            Issue.record("\(result)")
            return
        }
        #if os(Linux)
            #expect(reason == flaw.words)
        #endif
    }

    #if os(Linux)
        @Test("works when it is given as trusted")
        func trusted() async throws {
            let authority = try CertificateAuthority()
            defer { authority.remove() }
            let server = try authority.server(nil)
            defer { server.stop() }

            let reply = try await authority.transport().send(OutgoingRequest(url: server.address, timeout: 60))
                .value

            #expect(reply.status == 200)
            #expect(String(decoding: reply.body, as: UTF8.self).contains("TLSv1.3"))
        }

        @Test("is not trusted just because it is well made")
        func unknownAuthority() async throws {
            let authority = try CertificateAuthority()
            defer { authority.remove() }
            let server = try authority.server(nil)
            defer { server.stop() }

            await #expect(throws: TransportError.untrusted("nobody trusted has signed the certificate")) {
                try await CurlTransport().send(OutgoingRequest(url: server.address, timeout: 60)).value
            }
        }
    #endif
}
