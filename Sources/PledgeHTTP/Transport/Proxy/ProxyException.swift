import Foundation

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

    /// Returns all entries of a text, separated by commas or white space.
    static func list(_ text: String) -> [ProxyException] {
        text.split { $0 == "," || $0.isWhitespace }.compactMap { ProxyException(String($0)) }
    }

    private init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if text == "*" {
            (hosts, port) = (.all, nil)
        } else if parts.count == 2, let address = Self.bytes(Self.bare(parts[0])), let bits = Int(parts[1]),
            0...address.count * 8 ~= bits
        {
            (hosts, port) = (.range(address, bits: bits), nil)
        } else if let address = Self.bytes(Self.bare(text[...])) {
            (hosts, port) = (.range(address, bits: address.count * 8), nil)
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
                // The leading bits of this byte that are compared.
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(max(bits - index * 8, 0), 8))
                return (address[index] ^ start[index]) & mask == 0
            }
        }
    }

    /// Returns a host in lowercase, without an IPv6 address's brackets, or the dots and asterisk around a name.
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
