import Foundation

/// The origin of a URL: its scheme, host, and port. They are read exactly as the URL is written, because the URL is
/// also sent as it is written. Nothing is decoded or guessed.
package struct Origin: Sendable, Hashable {
    /// The scheme, in lowercase.
    package let scheme: String
    /// The host, in lowercase, with the brackets of an IPv6 address. It is empty if the URL has no host.
    package let host: String
    /// The port; nil for the default port of the scheme.
    package let port: Int?
    /// Whether the URL has a user name before the host. This package's own URLs have none, and people may mistake a
    /// user name for the host.
    package let namesUser: Bool

    package init(scheme: String, host: String, port: Int?, namesUser: Bool = false) {
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port == ["http": 80, "https": 443][self.scheme] ? nil : port
        self.namesUser = namesUser
    }

    /// Creates the origin of a URL; nil if the URL is not absolute or its port is invalid.
    package init?(_ url: URL) {
        let text = url.absoluteString.utf8
        guard text.allSatisfy({ $0 < 0x80 }), let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var authority = text[text.index(after: colon)...]
        guard authority.starts(with: "//".utf8) else {
            self.init(scheme: String(decoding: text[..<colon], as: UTF8.self), host: "", port: nil)
            return
        }
        authority = authority.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        let user = authority.lastIndex(of: UInt8(ascii: "@"))
        if let user { authority = authority[authority.index(after: user)...] }
        var port: Int?
        if let mark = authority.lastIndex(of: UInt8(ascii: ":")), !authority[mark...].contains(UInt8(ascii: "]")) {
            let digits = authority[authority.index(after: mark)...]
            guard digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            port = UInt16(String(decoding: digits, as: UTF8.self)).map(Int.init)
            if port == nil, !digits.isEmpty { return nil }
            authority = authority[..<mark]
        }
        self.init(
            scheme: String(decoding: text[..<colon], as: UTF8.self), host: String(decoding: authority, as: UTF8.self),
            port: port, namesUser: user != nil)
    }

    /// The scheme and the host, and the port unless it is the default one, such as `https://exist.io`.
    var text: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")" }

    /// Whether the host is this machine, so that no one can intercept the traffic.
    ///
    /// That is the case for `localhost`, for `[::1]`, and for four decimal numbers of which the first is 127. Other
    /// ways of writing an address don't count, because resolvers disagree about them: one may read an octal number
    /// where another sees a name.
    package var isLoopback: Bool {
        guard !namesUser else { return false }
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }

    /// Whether a token, a code, or a personal URL may be sent to this origin. It may be sent over `https`. Over plain
    /// `http`, it may be sent only to this machine or to one of the given hosts.
    ///
    /// This is the only place that decides about plain `http`.
    package func mayCarrySecrets(trusting plainHosts: Set<String>) -> Bool {
        guard !host.isEmpty, !namesUser else { return false }
        return scheme == "https"
            || scheme == "http" && (isLoopback || plainHosts.contains { $0.lowercased().utf8.elementsEqual(host.utf8) })
    }
}

extension URL {
    /// Whether the host is this machine; see ``Origin/isLoopback``.
    package var isLoopback: Bool { Origin(self)?.isLoopback ?? false }

    /// The scheme, host, port, and path of the URL; nil if the URL is invalid. At the end of a sign-in, the browser is
    /// redirected to an address that was agreed before. The browser has arrived there if this text is the same for its
    /// URL and for the address.
    package var redirectTarget: String? {
        guard let origin = Origin(self) else { return nil }
        let path = URLComponents(url: self, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
        let root = origin.text
        // A browser adds a slash to a URL that has a host but no path. In a URL without a host, the path follows the
        // scheme.
        return path.isEmpty || path.hasPrefix("/") ? root + (path.isEmpty ? "/" : path) : "\(origin.scheme):\(path)"
    }

    /// The absolute URL with its scheme in lowercase. Transports accept only this form.
    var withLowercaseScheme: URL {
        guard let scheme, scheme != scheme.lowercased(),
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return absoluteURL }
        parts.scheme = scheme.lowercased()
        return parts.url ?? absoluteURL
    }

    /// Whether secrets may be sent to this URL; see ``Origin/mayCarrySecrets(trusting:)``.
    package func mayCarrySecrets(trusting plainHosts: Set<String>) -> Bool {
        Origin(self)?.mayCarrySecrets(trusting: plainHosts) ?? false
    }
}
