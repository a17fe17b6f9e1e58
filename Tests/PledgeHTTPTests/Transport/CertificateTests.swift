import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

/// With `openssl s_server` as the service.
@Suite("Certificates", .serialized, .needs("openssl"))
struct CertificateTests {
    @Test(
        "A certificate that is self-signed, expired, or for another host is rejected, and the error says which",
        arguments: CertificateAuthority.Flaw.allCases)
    func refused(flaw: CertificateAuthority.Flaw) async throws {
        let authority = try CertificateAuthority()
        let server = try authority.server(flaw)
        defer { server.stop() }
        let transport = try authority.transport()

        let error = await transport.send(OutgoingRequest(url: server.address, timeout: 600)).failure()

        guard case .untrusted(let reason)? = error as? TransportError else { throw error ?? Fault.one }
        #if os(Linux)
            #expect(reason == flaw.words)
        #endif
    }

    @Test(
        "A certificate of no trusted authority is rejected, and the request is not retried",
        arguments: StandardTransport.Kind.allCases
    )
    func untrusted(kind: StandardTransport.Kind) async throws {
        let authority = try CertificateAuthority()
        for flaw in [nil, CertificateAuthority.Flaw.selfSigned] {
            let server = try authority.server(flaw)
            defer { server.stop() }
            let client = EndpointClient(
                baseURL: server.address, authorizer: .bearer("s3cr3t"),
                options: EndpointClient.Options().with { $0.transport = StandardTransport(kind, proxy: .none) })

            let error = try #require(await client.send(Endpoint<[String]>(.get, "thing/")).failure() as? ExchangeError)

            #expect(error.attempts == 1)
            guard case .transport(.untrusted(let reason)) = error.reason else { throw error }
            #if os(Linux)
                #expect(reason == flaw?.words ?? "the certificate is not signed by a trusted authority")
            #endif
        }
    }

    @Test("A service without encryption is rejected as untrusted", arguments: StandardTransport.Kind.allCases)
    func noEncryption(kind: StandardTransport.Kind) async throws {
        let server = LoopbackServer(routes: [])
        try server.start()
        defer { server.stop() }
        let address = try #require(URL(string: "https://127.0.0.1:\(server.baseURL.port ?? 0)/"))

        let error = await StandardTransport(kind).send(OutgoingRequest(url: address)).failure()

        guard case .untrusted = error as? TransportError else { throw error ?? Fault.one }
    }

    #if os(Linux)
        @Test(
            "The environment names the authorities to trust, as for curl",
            arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"])
        func environment(name: String) async throws {
            let authority = try CertificateAuthority()
            let server = try authority.server(nil)
            defer { server.stop() }
            // The first has precedence.
            let environment = ["SSL_CERT_FILE": "/nonexistent.pem"].merging([name: authority.certificate.path]) { $1 }
            let file = StandardTransport.trustedCertificates(in: environment)
            let transport = StandardTransport(.curl, proxy: .none, trustedCertificates: file)

            #expect(try await transport.send(OutgoingRequest(url: server.address, timeout: 600)).value.status == 200)
        }

        @Test("A file of trusted certificates that is not there is an error which says where it is looked for")
        func noFile() async throws {
            let authority = try CertificateAuthority()
            let server = try authority.server(nil)
            defer { server.stop() }
            let transport = StandardTransport(
                .curl, proxy: .none, trustedCertificates: URL(fileURLWithPath: "/nonexistent.pem"))

            let error = await transport.send(OutgoingRequest(url: server.address)).failure()

            #expect("\(String(describing: error))".contains("CURL_CA_BUNDLE"))
        }
    #endif
}
