import Foundation
import PledgeCoding

/// Which requests go through a proxy.
///
/// Only `https` ever does, and by `CONNECT`: the proxy learns the host's name and carries bytes it cannot read, so no
/// token. Plain `http` would show it everything and goes directly, as does whatever is for this machine.
public struct ProxyRule: Sendable {
    /// No proxy, whatever the environment or the system says.
    public static let none = ProxyRule(nil, except: [], orSystems: false)

    /// What the environment says now; see ``init(environment:)``.
    public static var environment: ProxyRule { ProxyRule(environment: ProcessInfo.processInfo.environment) }

    private enum Proxy {
        case address(URL)
        /// What is named there is no address.
        case unreadable(source: String)
    }

    private let proxy: Proxy?
    private let exceptions: [ProxyException]
    /// On Apple platforms, the system's settings count.
    let followsSystem: Bool

    private init(_ proxy: Proxy?, except exceptions: [ProxyException], orSystems: Bool) {
        self.proxy = proxy
        self.exceptions = exceptions
        followsSystem = orSystems && proxy == nil
    }

    /// What environment variables say, read as other tools read them.
    ///
    /// The proxy is that of `https_proxy`, `HTTPS_PROXY`, `all_proxy` or `ALL_PROXY`, the first that is not empty:
    /// `http://host:port` or only `host:port`; the port is 1080 if none is given. Exceptions are listed in `no_proxy`, or
    /// else `NO_PROXY`: host names, which stand for all below them as well, IP addresses, ranges such as `10.0.0.0/8`, and
    /// `*` for all. Where no variable names a proxy, the system's settings count on Apple platforms.
    public init(environment: [String: String]) {
        let first = { (names: [String]) in
            names.lazy.compactMap { name in environment[name].map { (name, $0) } }.first { !$0.1.isEmpty }
        }
        self.init(
            first(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]).map(Self.read),
            except: ProxyException.list(first(["no_proxy", "NO_PROXY"])?.1 ?? ""), orSystems: true)
    }

    /// This proxy for all but the exceptions, whatever the environment says.
    ///
    /// - Parameters:
    ///   - address: `http://host:port`, with user and password if it asks for them.
    ///   - exceptions: as in `no_proxy`.
    public init(_ address: URL, except exceptions: [String] = []) {
        self.init(
            Self.read("the rule", address.absoluteString), except: exceptions.flatMap(ProxyException.list),
            orSystems: false)
    }

    /// The proxy to go through to an address; nil for none.
    ///
    /// - Throws: ``TransportError/unsendable(_:)`` if there is one, but its address cannot be read: to go without would
    ///   not be what was asked for.
    func proxy(for url: URL) throws(TransportError) -> URL? {
        Self.mayProxy(url) ? try choice(for: url) : nil
    }

    /// Whether an address is one that ever goes through a proxy.
    static func mayProxy(_ url: URL) -> Bool {
        url.scheme?.lowercased() == "https" && !url.isLoopback
    }

    /// The proxy for an address of any kind.
    func choice(for url: URL) throws(TransportError) -> URL? {
        guard !exceptions.contains(where: { $0.covers(url) }) else { return nil }
        switch proxy {
        case .address(let address): return address
        // Not what is there: it may hold a password.
        case .unreadable(let source):
            throw .unsendable("the proxy in \(source) cannot be read: it is written http://host:port")
        case nil: return nil
        }
    }

    /// The proxy's address; nil if there is none that can be read.
    var address: URL? { if case .address(let address) = proxy { address } else { nil } }

    private static func read(_ source: String, _ text: String) -> Proxy {
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)"), let host = url.host, !host.isEmpty,
            ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(url.scheme?.lowercased()),
            (1...65_535).contains(url.port ?? 1)
        else { return .unreadable(source: source) }
        return .address(url)
    }
}

extension ProxyRule: Discreet {
    /// The proxy without user and password.
    public var description: String {
        switch proxy {
        case .address(let address): "https through \(address.redacted)"
        case .unreadable(let source): "an unreadable proxy in \(source)"
        case nil: followsSystem ? "the system's proxy, if there is one" : "no proxy"
        }
    }
}
