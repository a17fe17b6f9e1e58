import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Origins that may receive a token", .serialized)
final class OriginTests: ThingSuite {
    /// URLs that look like a URL of this machine, but lead to another machine or may do so.
    static let lookAlikes = [
        // Names that resemble an IP address.
        "http://127.0.0.1.evil.example/", "http://127.evil.0.0.1.example/", "http://127.0.0.1.1/",
        "http://127.0.0.evil/", "http://127.a.0.0.1/", "http://127.0.0.1evil.example/",
        "http://127-0-0-1.evil.example/", "http://127.0.0.1-evil.example/", "http://127.0.0.1_/",
        "http://x127.0.0.1/",
        // Names that contain “localhost”.
        "http://localhost.evil.example/", "http://evil-localhost/", "http://xn--localhost-/", "http://localhost1/",
        "http://localhost.localdomain/", "http://sub.localhost/", "http://local%68ost.evil.example/",
        // A trailing dot, too many dots, or too few.
        "http://localhost./", "http://127.0.0.1./", "http://127.0.0..1/", "http://.127.0.0.1/", "http://127.0.1/",
        "http://127.1/", "http://127/", "http://127.0.0/", "http://127.0.0.0.1/",
        // Other notations of numbers.
        "http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://0x7f000001/", "http://2130706433/", "http://017700000001/",
        "http://127.0.0.01/", "http://127.000.000.001/", "http://127.0.0.0x1/", "http://127.0.0.256/",
        "http://127.0.0.-1/", "http://127.0.0.+1/", "http://127.0.0.1e0/", "http://127.0.0.1%20/",
        // Addresses of other machines, and the address that means all interfaces.
        "http://0.0.0.0/", "http://0/", "http://128.0.0.1/", "http://126.255.255.255/", "http://10.0.0.1/",
        "http://1270.0.0.1/", "http://169.254.169.254/",
        // IPv6.
        "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/",
        "http://[0:0:0:0:0:0:0:1]/", "http://[::01]/", "http://[::1%25lo]/", "http://[::2]/", "http://[fe80::1]/",
        // A user name before the host.
        "http://localhost@evil.example/", "http://127.0.0.1@evil.example/", "http://127.0.0.1:80@evil.example/",
        "http://[::1]@evil.example/", "http://evil@127.0.0.1/", "http://localhost%40evil.example/",
        "http://localhost%2F@evil.example/", "http://evil.example%2F@127.0.0.1/",
        // Percent-encoded characters.
        "http://%31%32%37.0.0.1/", "http://127%2E0%2E0%2E1/", "http://%6cocalhost/", "http://127.0.0.1%2eevil.example/",
        "http://127.0.0.1%00.evil.example/", "http://localhost%00.evil.example/", "http://127.0.0.1%23.evil.example/",
        // A name of this machine in another part of the URL.
        "http://evil.example/127.0.0.1", "http://evil.example?localhost", "http://evil.example#localhost",
        "http://evil.example:127/", "http:localhost", "http:///localhost/", "http://:80/", "http://",
        "http://evil.example\\@127.0.0.1/", "http://localhost\\.evil.example/", "http://localhost:99999/",
        "http://localhost:80a/", "ftp://localhost/", "ws://localhost/", "javascript://localhost/%0aalert(1)",
        "file://localhost/etc/passwd", "data:text/html,localhost", "//localhost/", "localhost",
    ]

    /// The look-alikes that Foundation accepts as URLs. This is a property because Swift 6.0 crashes at a closure in
    /// the arguments of a test.
    private static let addresses = lookAlikes.compactMap { URL(string: $0) }

    @Test(
        "A token isn't sent over plain HTTP to a host that merely resembles this machine",
        arguments: addresses)
    func lookAlike(url: URL) async throws {
        #expect(!url.mayCarrySecrets(trusting: []))
        let transport = Unreachable()
        let error = try #require(await transport.failure(at: url, Endpoint(.get, "thing")) as? ExchangeError)
        #expect(transport.asked.all.isEmpty)
        guard case .badRequest = error.reason else { throw error }
    }

    @Test(
        "Leading slashes of a path make no difference to the request or to errors",
        arguments: ["thing/", "/thing/", "//thing/"])
    func leadingSlash(path: String) async throws {
        things.respond(.empty(404))
        let endpoint = Endpoint<Void>(.get, path, query: ["a": 1])
        let error = await things.client().send(endpoint).failure()
        #expect(things.server.requests.map(\.target) == ["/thing/?a=1"])
        #expect("\(endpoint)" == "GET thing/")
        #expect((error as? ExchangeError)?.context.url == "\(things.server.baseURL)thing/")
    }

    @Test(
        "No path, however it is written, makes a client send a request to another origin than the base URL's",
        arguments: [
            "//evil.example/", "///evil.example", "@evil.example/", ":80@evil.example/", ".evil.example/",
            "https://evil.example/", "\\\\evil.example\\", "../../..//evil.example/", "%2F%2Fevil.example",
            "#@evil.example", "?@evil.example", "\t//evil.example", "\r\nHost: evil.example", ";//evil.example",
        ])
    func paths(path: String) async throws {
        let transport = Unreachable()
        let base = try #require(URL(string: "https://service.example"))
        #expect(await transport.failure(at: base, Endpoint(.get, path)) is ExchangeError)
        #expect(transport.asked.all.allSatisfy { Origin($0) == Origin(base) })
    }

    @Test(
        "URLs of this machine are recognized, and may carry secrets like any HTTPS URL",
        arguments: [
            "http://localhost/", "http://LOCALHOST:8080/a?b", "http://localhost", "http://127.0.0.1/",
            "http://127.0.0.1:1?a@b", "http://127.255.255.255/", "http://127.1.2.3:65535/", "HTTP://127.0.0.1/",
            "http://[::1]/", "http://[::1]:8080/", "https://localhost/", "https://service.example/",
            "https://[::ffff:1.2.3.4]:1/",
        ])
    func thisMachine(address: String) throws {
        let url = try #require(URL(string: address))
        let isStrange = address.contains("service") || address.contains("1.2.3.4")
        #expect(url.isLoopback != isStrange && url.mayCarrySecrets(trusting: []))
        for address in ["file:///", "relative", "http://a@127.0.0.1"] {
            #expect(try !#require(URL(string: address)).isLoopback, "\(address)")
        }
    }

    @Test("Plain HTTP is allowed to the hosts in `plainHTTPHosts`, but no redirect takes the token to another host")
    func plainHosts() async throws {
        let other = try ThingServer()
        // 127.1 and 0x7f.1 are other notations of 127.0.0.1, but the client takes them for other machines.
        let base = try #require(URL(string: "http://127.1:\(things.server.baseURL.port ?? 0)/"))
        func client(_ hosts: Set<String>) -> EndpointClient {
            EndpointClient(
                baseURL: base, authorizer: .bearer("t0k3n"),
                options: EndpointClient.Options().with {
                    ($0.plainHTTPHosts, $0.timeout) = (hosts, 3600)
                    // `URLSession` doesn't support these notations.
                    $0.transport = StandardTransport(.curl)
                })
        }

        let refused = await client(["0x7f.1"]).get().failure()
        #expect("\(try #require(refused))".contains("name the host in plainHTTPHosts"))
        #expect(things.server.requests.isEmpty)

        _ = try await client(["127.1"]).get().value
        #expect(things.server.requests.map { $0.headers["Authorization"] } == ["Bearer t0k3n"])

        let there = "http://0x7f.1:\(other.server.baseURL.port ?? 0)/other/"
        things.respond(.empty(302, headers: ["Location": there]))
        let redirected = await client(["127.1", "0X7F.1"]).get().failure()
        #expect("\(try #require(redirected))".contains(there) && other.server.requests.isEmpty)

        for lookAlike in ["http://127.1@evil.example/", "http://ann@127.1/", "http://127.1.example/", "ws://127.1/"] {
            #expect(try !#require(URL(string: lookAlike)).mayCarrySecrets(trusting: ["127.1", ""]))
        }
    }

    @Test(
        "`redirectTarget` keeps a URL's path, but drops its query, its fragment, and the default port",
        arguments: [
            ("https://App.example", "https://app.example/"), ("https://app.example:443/a?b#c", "https://app.example/a"),
            ("http://localhost:8080/a", "http://localhost:8080/a"), ("app:back", "app:back"),
            ("app://back", "app://back/"), ("http://a:99999/", nil),
        ])
    func redirectTarget(address: String, target: String?) throws {
        #expect(try #require(URL(string: address)).redirectTarget == target)
    }

    @Test(
        "A redirect is followed only if it leads to the same origin",
        arguments: [
            ("/other/", true), ("//127.0.0.1:PORT/other/", true), ("HTTP://127.0.0.1:PORT/other/", true),
            ("http://ann@127.0.0.1:PORT/other/", false), ("http://ann:pw@127.0.0.1:PORT/other/", false),
            ("http://@127.0.0.1:PORT/other/", false), ("http://127.0.0.1/other/", false),
            ("https://127.0.0.1:PORT/other/", false), ("http://localhost:PORT/other/", false),
            ("http://127.0.0.2:PORT/other/", false), ("http://127.0.0.1:PORT@evil.example/", false),
            ("http://127%2E0%2E0%2E1:PORT/other/", false), ("javascript:alert(1)", false),
            ("http://127.0.0.1:PORT.evil.example/", false), ("ftp://127.0.0.1:PORT/", false),
        ])
    func redirects(location: String, isFollowed: Bool) async throws {
        let port = things.server.baseURL.port.map(String.init) ?? ""
        let target = location.replacingOccurrences(of: "PORT", with: port)
        things.respond(.empty(302, headers: ["Location": target]))
        // A transport may fail at a redirect that it can't read. By default, the client would then repeat the request.
        let client = things.client(.bearer("t0k3n")) { $0.retry = .never }
        let result = await client.get().settled().value
        #expect(things.server.requests.count == (isFollowed ? 2 : 1))
        switch result {
        case .success(let answer): #expect(isFollowed && answer.value.ok)
        case .failure(let error): #expect(!isFollowed && error is ExchangeError)
        }
    }
}

/// A transport that fails every request as unreachable, and records the requested URLs.
private struct Unreachable: HTTPTransport {
    let asked = Recorder<URL>()

    /// Returns the error of a call with a token.
    func failure(at base: URL, _ endpoint: Endpoint<String>) async -> (any Error)? {
        let options = EndpointClient.Options().with { ($0.transport, $0.retry) = (self, .never) }
        return await EndpointClient(baseURL: base, authorizer: .bearer("s3cr3t"), options: options).send(endpoint)
            .failure()
    }

    func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        asked.append(request.url)
        return Promise(error: TransportError.unreachable("nothing is there"))
    }
}
