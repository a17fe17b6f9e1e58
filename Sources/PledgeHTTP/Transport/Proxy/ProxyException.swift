import Foundation

/// A part of `no_proxy`: which hosts to reach directly.
struct ProxyException: Sendable {
    private enum Hosts: Sendable {
        case all
        /// This one and all below it.
        case name(String)
        /// Addresses that begin with these bits.
        case range([UInt8], bits: Int)
    }

    private let hosts: Hosts
    private let port: Int?

    /// All that are named in a text, between commas or spaces.
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
                // The bits of this byte that count, the leading ones.
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(max(bits - index * 8, 0), 8))
                return (address[index] ^ start[index]) & mask == 0
            }
        }
    }

    /// A host in lower case, without the brackets of an IPv6 address, and without the dots and the star that may stand
    /// around a name.
    private static func bare(_ text: Substring) -> String {
        var text = text.lowercased()[...]
        if text.hasPrefix("["), text.hasSuffix("]") { return String(text.dropFirst().dropLast()) }
        if text.hasPrefix("*.") { text = text.dropFirst() }
        if text.hasPrefix(".") { text = text.dropFirst() }
        if text.hasSuffix(".") { text = text.dropLast() }
        return String(text)
    }

    /// The bytes of an IP address.
    private static func bytes(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}
