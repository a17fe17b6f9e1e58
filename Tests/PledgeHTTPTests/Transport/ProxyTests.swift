#if os(Linux)
    import Foundation
    import PledgeHTTP
    import PledgeTestSupport
    import Testing

    @testable import PledgeServer

    /// Requests through a real proxy to `openssl s_server`. On Linux, Foundation reads the proxy from the environment,
    /// so each test of `URLSession` runs in its own process. `URLSession` doesn't trust the test's certificates, so its
    /// requests get no further than the TLS handshake.
    @Suite("Requests through a proxy", .serialized, .needs("openssl"))
    final class ProxyTests: ServerSuite {
        /// A service that only the proxy can reach, and a request to it with a token.
        struct Scene {
            let authority: CertificateAuthority
            let service: CertificateAuthority.Server
            let proxy: ConnectProxy

            init(answer: String? = nil) throws {
                authority = try CertificateAuthority()
                service = try authority.server(nil, for: "DNS:service.example")
                proxy = try ConnectProxy(to: service.address.port ?? 0, answer: answer)
            }

            func stop() {
                proxy.stop()
                service.stop()
            }

            func request(_ address: String = "https://service.example/") throws -> OutgoingRequest {
                OutgoingRequest(
                    url: try #require(URL(string: address)), headers: ["Authorization": "Bearer s3cr3t"], timeout: 600)
            }

            /// Returns an environment that names the proxy.
            func environment(_ more: [String: String] = [:]) -> [String: String] {
                let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"]
                return Dictionary(uniqueKeysWithValues: names.map { ($0, proxy.address.absoluteString) })
                    .merging(more) { $1 }
            }
        }

        @Test(
            "libcurl reaches a service through the proxy, which sees its own password and the host name, but no token",
            arguments: ["", "me:p%40ss@"])
        func curl(user: String) async throws {
            let scene = try Scene()
            defer { scene.stop() }
            let rule = ProxyRule(environment: [
                "https_proxy": "http://\(user)127.0.0.1:\(scene.proxy.address.port ?? 0)"
            ])
            let transport = try scene.authority.transport(proxy: rule)
            for _ in 0..<2 {
                let response = try await transport.send(scene.request()).value
                #expect(response.status == 200 && response.headers["X-Proxy"] == nil)
                #expect(String(decoding: response.body, as: UTF8.self).contains("TLSv1.3"))
            }
            let basic = "Proxy-Authorization: Basic \(Data("me:p@ss".utf8).base64EncodedString())"
            for head in scene.proxy.heads {
                #expect(head.hasPrefix("CONNECT service.example:443 HTTP/1.1\r\n"))
                #expect(head.contains(basic) == !user.isEmpty && head.contains("Authorization") == !user.isEmpty)
            }
            #expect(!scene.proxy.heads.isEmpty && !scene.proxy.saw("s3cr3t") && !scene.proxy.saw("Bearer"))
        }

        @Test("libcurl doesn't use the proxy for plain HTTP, for this machine, for exceptions, or with the rule `none`")
        func direct() async throws {
            let scene = try Scene()
            defer { scene.stop() }
            let plain = try server { _ in .text("plain") }.baseURL.absoluteString
            let rule = ProxyRule(environment: scene.environment(["no_proxy": "service.example"]))
            let unknown = TransportError.unreachable("the host name is not known")
            let rows: [(rule: ProxyRule, address: String, error: TransportError?)] = [
                (rule, plain, nil),
                // The service responds, but its certificate is for another host.
                (
                    rule, "https://127.0.0.1:\(scene.service.address.port ?? 0)/",
                    .untrusted("the certificate is for another host")
                ), (rule, "https://service.example/", unknown), (.none, "https://service.example/", unknown),
            ]
            for row in rows {
                let transport = try scene.authority.transport(proxy: row.rule)
                let outcome = try await transport.send(scene.request(row.address)).settled().value
                #expect((try? outcome.get())?.status == (row.error == nil ? 200 : nil), "\(row.address)")
                #expect(outcome.failure as? TransportError == row.error, "\(row.address)")
            }
            #expect(scene.proxy.heads.isEmpty)
        }

        /// A header line that is longer than libcurl accepts.
        private static let longLine = "A: \(String(repeating: "b", count: 1 << 20))\r\n\r\n"

        @Test(
            "An unreachable proxy and a proxy's rejection are not mistaken for the service's response",
            arguments: [
                ("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno", "the proxy refused"),
                (
                    "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
                    "the proxy asks for a password"
                ), (nil, "the proxy cannot be reached"),
                ("HTTP/1.1 200 OK\r\n" + longLine, "the connection was lost before the request was sent"),
            ])
        func refused(answer: String?, words: String) async throws {
            let scene = try Scene(answer: answer)
            defer { scene.stop() }
            let nobody = try #require(URL(string: "http://me:s3cr3t@127.0.0.1:1"))
            let transport = StandardTransport(.curl, proxy: ProxyRule(answer == nil ? nobody : scene.proxy.address))
            await #expect(throws: TransportError.unreachable(words)) { try await transport.send(scene.request()).value }
        }

        #if compiler(>=6.2)
            @Test(
                "URLSession doesn't show the token to the proxy, and sends nothing if it can't follow the proxy rule"
            )
            func urlSession() async {
                await #expect(processExitsWith: .success) {
                    let scene = try Scene()
                    defer { scene.stop() }
                    for (name, value) in scene.environment() { setenv(name, value, 1) }
                    let elsewhere = ProxyRule(try #require(URL(string: "http://127.0.0.1:1")))
                    for (rule, address) in [
                        (ProxyRule.none, "https://service.example/"), (elsewhere, "https://service.example/"),
                        (.environment, "http://service.example/"), (.environment, "http://127.0.0.2/"),
                    ] {
                        let error = await URLSessionTransport(proxy: rule).send(try scene.request(address)).failure()
                        if case .unsendable = error as? TransportError { continue }
                        Issue.record("\(address): \(String(describing: error))")
                    }
                    #expect(scene.proxy.heads.isEmpty)
                    let unknown = TransportError.untrusted("the certificate is not signed by a trusted authority")
                    await #expect(throws: unknown) { try await URLSessionTransport().send(scene.request()).value }
                    #expect(scene.proxy.heads.allSatisfy { $0.hasPrefix("CONNECT service.example:443 HTTP/1.1\r\n") })
                    #expect(scene.proxy.heads.count == 1)
                    #expect(!scene.proxy.saw("s3cr3t") && !scene.proxy.saw("Authorization"))
                }
            }

            @Test("URLSession refuses a request that Foundation would send to this machine through a proxy")
            func urlSessionHere() async {
                await #expect(processExitsWith: .success) {
                    let scene = try Scene()
                    defer { scene.stop() }
                    let environment = scene.environment(["NO_PROXY": "other.example"])
                    for (name, value) in environment { setenv(name, value, 1) }
                    for address in ["http://127.0.0.1/", "http://localhost/", "\(scene.service.address)"] {
                        let error = await URLSessionTransport().send(try scene.request(address)).failure()
                        let words = "no_proxy before the program starts, or use libcurl"
                        #expect("\(error as Any)".contains(words), "\(address)")
                    }
                    #expect(scene.proxy.heads.isEmpty)
                    // The transport must not change the environment.
                    #expect(environment.allSatisfy { ProcessInfo.processInfo.environment[$0] == $1 })
                    #expect(ProcessInfo.processInfo.environment["no_proxy"] == nil)
                }
            }

            @Test("URLSession reaches this machine directly if the environment excludes it from the proxy")
            func urlSessionExcepted() async {
                await #expect(processExitsWith: .success) {
                    let scene = try Scene()
                    defer { scene.stop() }
                    for (name, value) in scene.environment(["NO_PROXY": "localhost,127.0.0.1"]) {
                        setenv(name, value, 1)
                    }
                    let plain = LoopbackServer(routes: [ServerRoute("GET /") { _ in .text("plain") }])
                    try plain.start()
                    defer { plain.stop() }
                    let port = plain.baseURL.port ?? 0

                    for host in ["127.0.0.1", "localhost"] {
                        let response = try await URLSessionTransport().send(scene.request("http://\(host):\(port)/"))
                            .value
                        #expect(String(decoding: response.body, as: UTF8.self) == "plain")
                    }
                    let error = await thrown(TransportError.self) {
                        try await URLSessionTransport().send(scene.request("\(scene.service.address)")).value
                    }
                    // The certificate has two flaws. Which one the error names depends on libcurl's version.
                    guard case .untrusted = error else { throw error ?? TransportError.badResponse("trusted") }

                    #expect(scene.proxy.heads.isEmpty)
                }
            }
        #endif
    }
#endif
