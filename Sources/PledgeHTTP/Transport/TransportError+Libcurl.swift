#if os(Linux)
    import Foundation

    extension TransportError {
        static let refusedStream = TransportError.unreachable("the service refused the stream, and did not process it")

        /// Creates an error from libcurl's message, which Foundation passes on if it has no code of its own; nil if the
        /// message is unknown. It is examined but never shown, as it may contain parts of the request. Some messages
        /// end in a host name or a port, so mostly the beginning is compared.
        init?(libcurlSays text: String) {
            let text = text.lowercased()
            let begins = { (words: String...) in words.contains { text.hasPrefix($0) } }
            if begins("failed to connect", "couldn't connect") {
                self = .unreachable("the host refused")
            } else if begins("could not resolve proxy") {
                self = .unreachable("the proxy's name is not known")
            } else if begins("connect tunnel failed", "proxy connect") || text.contains("from proxy after connect") {
                self = TransportError(proxySaid: text.contains(" 407") ? 407 : 403)
            } else if begins("openssl ssl_connect: ssl_error_syscall", "openssl ssl_connect: connection reset") {
                self = .connectionLost("closed without a response")
            } else if begins("ssl", "server certificate"), text.contains("certificate") {
                self = .untrusted(Self.certificateProblem(text))
            } else if begins("openssl/", "openssl ssl_connect", "tls connect error", "gnutls_handshake") {
                self = .untrusted("no encryption could be negotiated")
            } else if begins("too large response headers", "out of memory", "a value or data field grew larger") {
                // The second or, from newer versions of libcurl, the third is about a single line that is too long.
                self = .headersTooLarge
            } else if text.contains("chunk") {
                self = .badResponse("the body's chunks cannot be read")
            } else if begins("invalid content-length") {
                self = .badResponse("the response is not HTTP")
            } else if text.contains("unencoding") || text.contains("content encoding") {
                self = .badResponse("the body cannot be decompressed")
            } else if text.contains("header") {
                self = .badResponse("the headers cannot be read")
            } else {
                return nil
            }
        }

        /// Creates the error for a proxy's refusal of `CONNECT`.
        init(proxySaid status: Int) {
            self = .unreachable(status == 407 ? "the proxy asks for a password" : "the proxy refused")
        }

        /// Returns the problem with a certificate, from a message of OpenSSL or GnuTLS.
        static func certificateProblem(_ text: String) -> String {
            let text = text.lowercased()
            if text.contains("self-signed") || text.contains("self signed") { return "the certificate is self-signed" }
            if text.contains("expired") { return "the certificate has expired" }
            if text.contains("not yet valid") { return "the certificate is not valid yet" }
            if text.contains("does not match") || text.contains("no alternative certificate subject name") {
                return "the certificate is for another host"
            }
            if text.contains("revoked") { return "the certificate was revoked" }
            return "the certificate is not signed by a trusted authority"
        }
    }
#endif
