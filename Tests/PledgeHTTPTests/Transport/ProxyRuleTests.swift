import Foundation
import Testing

@testable import PledgeHTTP

@Suite("A proxy rule")
struct ProxyRuleTests {
    private static let service = "https://api.example.com/thing"

    /// An environment, a URL, and the proxy for requests to that URL.
    static let cases: [([String: String], String, String?)] =
        ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].map {
            (["all_proxy": "\($0)://proxy"], service, "\($0)://proxy")
        } + [
            ([:], service, nil), (["https_proxy": "http://proxy:3128"], service, "http://proxy:3128"),
            (["HTTPS_PROXY": "http://proxy:3128"], service, "http://proxy:3128"),
            (["ALL_PROXY": "proxy:3128"], service, "http://proxy:3128"),
            (["https_proxy": "", "HTTPS_PROXY": "proxy:1"], service, "http://proxy:1"),
            (["https_proxy": "small:1", "HTTPS_PROXY": "large:1", "all_proxy": "all:1"], service, "http://small:1"),
            (["http_proxy": "proxy:1", "HTTP_PROXY": "proxy:1"], service, nil),
            // Plain HTTP and this machine never use a proxy.
            (["http_proxy": "proxy:1", "all_proxy": "proxy:1"], "http://api.example.com/", nil),
            (["https_proxy": "proxy:1"], "https://localhost:8443/", nil),
            (["https_proxy": "proxy:1"], "https://127.0.0.1/", nil),
            (["https_proxy": "proxy:1"], "https://[::1]/", nil),
            (["https_proxy": "proxy:1"], "HTTPS://API.EXAMPLE.COM/", "http://proxy:1"),
        ]

    /// A value of `no_proxy`, a URL, and whether the URL is reached without the proxy.
    static let exceptions: [(String, String, Bool)] = [
        ("*", "https://api.example.com/", true), ("example.com", "https://api.example.com/", true),
        (".example.com", "https://api.example.com/", true), ("*.example.com", "https://api.example.com/", true),
        ("EXAMPLE.com.", "https://Api.Example.COM./", true), ("example.com", "https://example.com/", true),
        ("example.com", "https://notexample.com/", false), ("ample.com", "https://example.com/", false),
        ("other.example, example.com", "https://example.com/", true), ("a b example.com", "https://example.com/", true),
        (",,", "https://example.com/", false), ("", "https://example.com/", false),
        ("example.com:443", "https://example.com/", true), ("example.com:8443", "https://example.com/", false),
        ("example.com:8443", "https://example.com:8443/", true), ("example.com:x", "https://example.com/", false),
        ("example.com:80", "http://example.com/", true), ("example.com:443", "http://example.com/", false),
        ("10.1.2.3", "https://10.1.2.3/", true), ("10.1.2.3", "https://10.1.2.4/", false),
        ("10.1.2.3:443", "https://10.1.2.3/", true), ("10.1.2.3:443", "https://10.1.2.4/", false),
        ("10.1.0.0/16", "https://10.1.200.3/", true), ("10.1.0.0/16", "https://10.2.0.1/", false),
        ("10.1.2.128/25", "https://10.1.2.127/", false), ("10.1.2.128/25", "https://10.1.2.129/", true),
        ("0.0.0.0/0", "https://10.1.2.3/", true), ("0.0.0.0/0", "https://example.com/", false),
        ("10.1.2.3/32", "https://10.1.2.3/", true), ("10.1.0.0/33", "https://10.1.0.0/", false),
        ("10.1.0.0/-1", "https://10.1.0.0/", false),
        ("fd00::1", "https://[fd00:0::1]/", true), ("[fd00::1]", "https://[fd00::1]/", true),
        ("fd00::/8", "https://[fd12::9]/", true), ("fd00::/8", "https://[fe80::9]/", false),
        ("fd00::/8", "https://10.1.2.3/", false), ("10.1.2.3.example", "https://10.1.2.3/", false),
    ]

    @Test("A proxy rule reads the proxy from the environment as other tools do", arguments: cases)
    func environment(environment: [String: String], address: String, proxy: String?) throws {
        let url = try #require(URL(string: address))
        #expect(try ProxyRule(environment: environment).proxy(for: url)?.absoluteString == proxy)
    }

    @Test("A proxy rule excludes the hosts that `no_proxy` lists", arguments: exceptions)
    func exception(list: String, address: String, isDirect: Bool) throws {
        let url = try #require(URL(string: address))
        let proxy = try #require(URL(string: "http://proxy:3128"))
        for name in ["no_proxy", "NO_PROXY"] {
            let rule = ProxyRule(environment: ["https_proxy": "proxy:3128", name: list])
            #expect(try (rule.choice(for: url) == nil) == isDirect)
        }
        #expect(try (ProxyRule(proxy, except: [list]).choice(for: url) == nil) == isDirect)
    }

    @Test(
        "If the proxy's URL is invalid, requests are rejected, and neither the error nor the rule shows the URL",
        arguments: [
            "http://", "ftp://s3cr3t@proxy:21", "socks://s3cr3t:1", "http://pro xy:s3cr3t", "http://s3cr3t:99999",
            "s3cr3t:0",
        ],
        StandardTransport.Kind.allCases)
    func unreadable(text: String, kind: StandardTransport.Kind) async throws {
        let rule = ProxyRule(environment: ["https_proxy": text])
        let url = try #require(URL(string: Self.service))
        await #expect(
            throws: TransportError.unsendable("the proxy in https_proxy cannot be read: write it as http://host:port")
        ) { try await StandardTransport(kind, proxy: rule).send(OutgoingRequest(url: url)).value }
        #expect(!"\(rule)".contains("s3cr3t"))
    }

    @Test("A proxy rule follows the system's settings only if no variable names a proxy")
    func system() throws {
        #expect(ProxyRule(environment: [:]).followsSystem && !ProxyRule.none.followsSystem)
        #expect(!ProxyRule(environment: ["https_proxy": "proxy:3128"]).followsSystem)
        #expect(!ProxyRule(try #require(URL(string: "http://proxy:3128"))).followsSystem)
    }

    @Test("A printed proxy rule contains neither the user nor the password of the proxy")
    func secrets() {
        let rule = ProxyRule(environment: ["https_proxy": "http://me:s3cr3t@proxy:3128"])
        var dumped = ""
        dump(rule, to: &dumped)
        for text in ["\(rule)", String(reflecting: rule), dumped] {
            #expect(text.contains("http://proxy:3128"))
            #expect(!text.contains("me") && !text.contains("s3cr3t"))
        }
    }
}
