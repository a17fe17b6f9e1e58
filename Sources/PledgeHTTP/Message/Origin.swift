import Foundation

/// Where an address leads: scheme, host and port as they are written. Nothing is decoded or guessed, so that what is
/// compared is what is sent.
package struct Origin: Sendable, Equatable {
    /// In lower case.
    package let scheme: String
    /// In lower case; an IPv6 address has its brackets. Empty for an address without a host.
    package let host: String
    /// Nil for the scheme's own.
    package let port: Int?
    /// Whether a user is named before the host. No address of ours does, and people take it for the host.
    package let namesUser: Bool

    package init(scheme: String, host: String, port: Int?, namesUser: Bool = false) {
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port == ["http": 80, "https": 443][self.scheme] ? nil : port
        self.namesUser = namesUser
    }

    /// Nil for what is no absolute address, or has a port that is none.
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

    /// Whether the host is this machine, where nobody listens on the way: `localhost`, four decimal numbers of which the
    /// first is 127, or `[::1]`, and no other way to write them. What one resolver reads as an octal number, another
    /// looks up as a name.
    package var isLoopback: Bool {
        guard !namesUser else { return false }
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }

    /// Whether a token, a code or a personal address may go there: over `https`, or over `http` to this machine.
    ///
    /// The one place that decides about plain `http`.
    package var mayCarrySecrets: Bool {
        (scheme == "https" && !host.isEmpty && !namesUser) || (scheme == "http" && isLoopback)
    }
}

extension URL {
    /// See ``Origin/isLoopback``.
    package var isLoopback: Bool { Origin(self)?.isLoopback ?? false }

    /// The whole address with its scheme in lower case, which is all that transports take.
    var withPlainScheme: URL {
        guard let scheme, scheme != scheme.lowercased(),
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return absoluteURL }
        parts.scheme = scheme.lowercased()
        return parts.url ?? absoluteURL
    }

    /// See ``Origin/mayCarrySecrets``.
    package var mayCarrySecrets: Bool { Origin(self)?.mayCarrySecrets ?? false }
}
