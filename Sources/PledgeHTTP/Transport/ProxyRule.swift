import Foundation
import PledgeCoding

/// A rule that determines which requests use a proxy.
///
/// Only `https` requests ever use a proxy, through `CONNECT`. The proxy learns the host name, and forwards bytes that
/// it cannot read, so it never sees a token. A plain `http` request would show everything to the proxy, so such
/// requests are sent directly. Requests to this machine are sent directly as well.
public struct ProxyRule: Sendable {
    /// A rule that never uses a proxy, even if the environment or the system specifies one.
    public static let none = ProxyRule(nil, except: [], orSystems: false)

    /// The rule of the current environment; see ``init(environment:)``.
    public static var environment: ProxyRule { ProxyRule(environment: ProcessInfo.processInfo.environment) }

    /// The URL of the proxy, or an error if its text is not a valid URL; nil if there is no proxy.
    private let proxy: Result<URL, TransportError>?
    private let exceptions: [ProxyException]
    /// Whether the system's settings apply, on Apple platforms.
    let followsSystem: Bool

    private init(_ proxy: Result<URL, TransportError>?, except exceptions: [ProxyException], orSystems: Bool) {
        self.proxy = proxy
        self.exceptions = exceptions
        followsSystem = orSystems && proxy == nil
    }

    /// Creates a rule from environment variables, which have the same meaning as for other tools.
    ///
    /// The proxy is the first of `https_proxy`, `HTTPS_PROXY`, `all_proxy`, and `ALL_PROXY` that is not empty. It is
    /// written as `http://host:port` or `host:port`; the default port is 1080.
    ///
    /// The exceptions are read from `no_proxy`. If `no_proxy` is empty, they are read from `NO_PROXY`. An exception is
    /// one of the following:
    /// - a host name, which includes its subdomains
    /// - an IP address
    /// - a range of addresses, such as `10.0.0.0/8`
    /// - `*`, which stands for all hosts
    ///
    /// If no variable specifies a proxy, Apple platforms use the system's settings.
    public init(environment: [String: String]) {
        self.init(
            environment.first(of: "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY").map(Self.read),
            except: ProxyException.list(environment.first(of: "no_proxy", "NO_PROXY")?.1 ?? ""), orSystems: true)
    }

    /// Creates a rule that uses a proxy for all hosts except the given ones. The environment has no effect.
    ///
    /// - Parameters:
    ///   - address: The proxy as `http://host:port`, including a user and a password if it requires them.
    ///   - exceptions: The hosts to reach directly, written as in `no_proxy`.
    public init(_ address: URL, except exceptions: [String] = []) {
        self.init(
            Self.read("the rule", address.absoluteString), except: exceptions.flatMap(ProxyException.list),
            orSystems: false)
    }

    /// Returns the proxy for a URL; nil if requests to the URL use no proxy. Throws if the URL of the proxy is invalid,
    /// because the rule doesn't permit a direct connection instead.
    func proxy(for url: URL) throws(TransportError) -> URL? {
        Self.mayProxy(url) ? try choice(for: url) : nil
    }

    /// Returns whether requests to a URL may use a proxy at all.
    static func mayProxy(_ url: URL) -> Bool {
        url.scheme?.lowercased() == "https" && !url.isLoopback
    }

    /// Returns the proxy that the rule specifies for a URL, even if requests with the URL's scheme never use a proxy.
    func choice(for url: URL) throws(TransportError) -> URL? {
        exceptions.contains { $0.covers(url) } ? nil : try proxy?.get()
    }

    /// The proxy's URL; nil if there is none or it is invalid.
    var address: URL? { try? proxy?.get() }

    private static func read(_ source: String, _ text: String) -> Result<URL, TransportError> {
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)"), let host = url.host, !host.isEmpty,
            ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(url.scheme?.lowercased()),
            (1...65_535).contains(url.port ?? 1)
        else {
            // The error leaves out the text, because it may contain a password.
            return .failure(.unsendable("the proxy in \(source) cannot be read: write it as http://host:port"))
        }
        return .success(url)
    }
}

extension [String: String] {
    /// Returns the name and the value of the first of the given variables that is not empty.
    func first(of names: String...) -> (String, String)? {
        names.lazy.compactMap { name in self[name].map { (name, $0) } }.first { !$0.1.isEmpty }
    }
}

extension ProxyRule: Redacted {
    /// The proxy, without its user and password.
    public var description: String {
        switch proxy {
        case .success(let address): "https through \(address.redacted)"
        case .failure: "an unreadable proxy"
        case nil: followsSystem ? "the system's proxy, if there is one" : "no proxy"
        }
    }
}

/// An entry of `no_proxy`: hosts to reach without a proxy.
struct ProxyException: Sendable {
    private enum Hosts: Sendable {
        case all
        /// A host and all its subdomains.
        case name(String)
        /// IP addresses that start with these bits.
        case range([UInt8], bits: Int)
    }

    private let hosts: Hosts
    private let port: Int?

    /// Returns the valid entries of a text. The entries are separated by commas or white space.
    static func list(_ text: String) -> [ProxyException] {
        text.split { $0 == "," || $0.isWhitespace }.compactMap { ProxyException(String($0)) }
    }

    private init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if text == "*" {
            hosts = .all
            port = nil
        } else if parts.count == 2, let address = Self.bytes(Self.bare(parts[0])), let bits = Int(parts[1]),
            0...address.count * 8 ~= bits
        {
            hosts = .range(address, bits: bits)
            port = nil
        } else if let address = Self.bytes(Self.bare(text[...])) {
            hosts = .range(address, bits: address.count * 8)
            port = nil
        } else {
            let colon = text.lastIndex(of: ":")
            let host = Self.bare(text[..<(colon ?? text.endIndex)])
            port = colon.flatMap { Int(text[text.index(after: $0)...]) }
            guard !host.isEmpty, (port == nil) == (colon == nil) else { return nil }
            hosts = Self.bytes(host).map { .range($0, bits: $0.count * 8) } ?? .name(host)
        }
    }

    func covers(_ url: URL) -> Bool {
        if let port, port != url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) { return false }
        let host = Self.bare(url.host?[...] ?? "")
        switch hosts {
        case .all: return true
        case .name(let name): return host == name || host.hasSuffix(".\(name)")
        case .range(let start, let bits):
            guard let address = Self.bytes(host), address.count == start.count else { return false }
            return address.indices.allSatisfy { index in
                // The bits of this byte that belong to the prefix of the range. They must be equal in both addresses.
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(max(bits - index * 8, 0), 8))
                return (address[index] ^ start[index]) & mask == 0
            }
        }
    }

    /// Returns a host in lowercase. Removes the brackets of an IPv6 address, a leading asterisk, and dots at both ends
    /// of a name.
    private static func bare(_ text: Substring) -> String {
        var text = text.lowercased()[...]
        if text.hasPrefix("["), text.hasSuffix("]") { return String(text.dropFirst().dropLast()) }
        if text.hasPrefix("*.") { text = text.dropFirst() }
        if text.hasPrefix(".") { text = text.dropFirst() }
        if text.hasSuffix(".") { text = text.dropLast() }
        return String(text)
    }

    /// Returns the bytes of an IP address.
    private static func bytes(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}
