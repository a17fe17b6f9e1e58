import Foundation
import PledgeHTTP
import PledgeTestSupport
import Testing

/// Tests with `openssl s_server` as the service.
@Suite("Certificates", .serialized, .needs("openssl"))
final class CertificateTests {
    typealias Kind = StandardTransport.Kind

    private static let shared = Result { try CertificateAuthority() }

    private let authority: CertificateAuthority
    private var servers: [CertificateAuthority.Server] = []

    init() throws { authority = try Self.shared.get() }

    deinit { for server in servers { server.stop() } }

    /// Starts a server whose certificate has the given flaw, or no flaw, and returns a request to it.
    private func request(_ flaw: CertificateAuthority.Flaw?) throws -> OutgoingRequest {
        servers.append(try authority.server(flaw))
        return OutgoingRequest(url: servers[servers.count - 1].address, timeout: 600)
    }

    @Test(
        "A certificate that is self-signed, expired, or for another host is rejected, and the error says why",
        arguments: CertificateAuthority.Flaw.allCases)
    func refused(flaw: CertificateAuthority.Flaw) async throws {
        let error = try await authority.transport().send(request(flaw)).failure()
        guard case .untrusted(let reason)? = error as? TransportError else { throw error ?? Fault.one }
        #if os(Linux)
            #expect(reason == flaw.words)
        #endif
    }

    @Test(
        "A certificate that no trusted authority signed is rejected, and the request is not retried",
        arguments: Kind.allCases, [nil, CertificateAuthority.Flaw.selfSigned])
    func untrusted(kind: Kind, flaw: CertificateAuthority.Flaw?) async throws {
        let client = EndpointClient(
            baseURL: try request(flaw).url, authorizer: .bearer("s3cr3t"),
            options: EndpointClient.Options().with {
                ($0.transport, $0.timeout) = (StandardTransport(kind, proxy: .none), 600)
            })
        let error = try #require(await client.send(Endpoint<[String]>(.get, "thing/")).failure() as? ExchangeError)
        #expect(error.attempts == 1)
        guard case .transport(.untrusted(let reason)) = error.reason else { throw error }
        #if os(Linux)
            #expect(reason == flaw?.words ?? "the certificate is not signed by a trusted authority")
        #endif
    }

    #if os(Linux)
        @Test(
            "CURL_CA_BUNDLE and SSL_CERT_FILE name the trusted certificates; the error for a missing file names the variables",
            arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE", nil])
        func environment(name: String?) async throws {
            // `CURL_CA_BUNDLE` takes precedence over `SSL_CERT_FILE`.
            var environment = ["SSL_CERT_FILE": "/nonexistent.pem"]
            if let name { environment[name] = authority.certificate.path }
            let file = StandardTransport.trustedCertificates(in: environment)
            let transport = StandardTransport(.curl, proxy: .none, trustedCertificates: file)
            let outcome = try await transport.send(request(nil)).settled().value
            #expect((try? outcome.get())?.status == (name == nil ? nil : 200))
            #expect("\(outcome)".contains("CURL_CA_BUNDLE") == (name == nil))
        }
    #endif
}
