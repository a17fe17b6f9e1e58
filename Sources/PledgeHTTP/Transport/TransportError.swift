import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if os(Linux)
    internal import PledgeLibraries
#endif

/// The reason why no complete response was received.
public enum TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The request had no effect. Either no connection could be established, or the service said that it has not
    /// processed the request, and that the client should use another connection.
    case unreachable(String)
    /// The connection was lost before the response was complete.
    case connectionLost(String)
    /// The certificate or the encryption was not acceptable.
    case untrusted(String)
    /// The exchange exceeded this time limit, in seconds.
    case timedOut(seconds: TimeInterval)
    /// There was a connection, but no byte was transferred for this many seconds.
    case stalled(seconds: TimeInterval)
    /// The response body exceeded this limit, in bytes.
    case tooLarge(limit: Int)
    /// The response could not be written to a file, for this reason.
    case unwritable(String)
    /// The response is not valid HTTP.
    case badResponse(String)
    /// The request cannot be expressed in HTTP and was not sent.
    case unsendable(String)

    public var description: String {
        switch self {
        case .unreachable(let detail): "no connection could be made (\(detail))"
        case .connectionLost(let detail): "the connection was lost (\(detail))"
        case .untrusted(let detail): "the connection is not secure (\(detail))"
        case .timedOut(let seconds): "no response within \(Self.text(seconds)) s"
        case .stalled(let seconds): "no data for \(Self.text(seconds)) s"
        case .tooLarge(let limit): "the response is larger than \(limit) bytes"
        case .unwritable(let detail): "the response could not be written to the file (\(detail))"
        case .badResponse(let detail): "the response is not valid HTTP (\(detail))"
        case .unsendable(let detail): "the request was not sent (\(detail))"
        }
    }

    private static func text(_ seconds: TimeInterval) -> String {
        Int(exactly: seconds).map(String.init) ?? "\(seconds)"
    }

    /// The number of seconds that is used if there is no time limit, because clocks cannot count to infinity.
    static let longestTimeout: TimeInterval = 1e9
}

extension TransportError {
    /// The maximum size of a response's headers, in bytes. If the transport receives interim responses and trailers,
    /// their size is included.
    static let headerLimit = 256 << 10

    static let headersTooLarge = TransportError.badResponse("the headers are larger than \(headerLimit >> 10) KiB")
}

#if os(Linux)
    extension TransportError {
        static let refusedStream = TransportError.unreachable("the service refused the stream, and did not process it")

        /// Creates an error from a message of libcurl; nil if the message is unknown. Foundation passes on such a
        /// message if it has no code of its own for the error.
        ///
        /// The message is examined but never shown, because it may contain parts of the request. Usually only the
        /// beginning of a message is compared, because some messages end in a host name or a port.
        init?(libcurlSays text: String) {
            let text = text.lowercased()
            let begins = { (words: String...) in words.contains { text.hasPrefix($0) } }
            if begins("failed to connect", "couldn't connect", "could not connect") {
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
                // The second text is about a single line that is too long. Newer versions of libcurl use the third text
                // for that.
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

        /// Creates the error for a proxy that refused `CONNECT` with this status code.
        init(proxySaid status: Int) {
            self = .unreachable(status == 407 ? "the proxy asks for a password" : "the proxy refused")
        }

        /// Returns what is wrong with a certificate, according to a message of OpenSSL or GnuTLS.
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

    extension TransportError {
        /// Creates an error from the result code of libcurl. `detail` is examined but never shown, because it may
        /// contain parts of the request.
        init(curl outcome: CInt, detail: String, _ exchange: CurlExchange) {
            self.init(outcome, detail, exchange)
            switch self {
            // The request was sent, and may have had an effect. What failed is libcurl's own attempt to connect again.
            case .unreachable where exchange.sendings > 0 && self != .refusedStream:
                self = .connectionLost("closed without a response")
            // If the request was not sent, it had no effect, and a response is the proxy's.
            case .badResponse where exchange.sendings == 0 && exchange.proxy != nil:
                self = .unreachable("the proxy's response is not valid HTTP")
            case .connectionLost where exchange.sendings == 0:
                self = .unreachable("the connection was lost before the request was sent")
            default: break
            }
        }

        private init(_ outcome: CInt, _ detail: String, _ exchange: CurlExchange) {
            switch outcome {
            case curl(PLEDGE_CURL_COULDNT_RESOLVE_HOST): self = .unreachable("the host name is not known")
            case curl(PLEDGE_CURL_COULDNT_RESOLVE_PROXY): self = .unreachable("the proxy's name is not known")
            case curl(PLEDGE_CURL_COULDNT_CONNECT):
                self = .unreachable(exchange.proxy == nil ? "the host refused" : "the proxy cannot be reached")
            case curl(PLEDGE_CURL_OPERATION_TIMEDOUT): self = .unreachable("no connection in time")
            case curl(PLEDGE_CURL_ABORTED_BY_CALLBACK), curl(PLEDGE_CURL_GOT_NOTHING):
                self = .connectionLost("closed without a response")
            // libcurl tried to send a body from files a second time, which is not possible; see
            // `CurlExchange.mayBeSent`.
            case curl(PLEDGE_CURL_SEND_FAIL_REWIND) where exchange.isAloneOnNewConnection: self = .refusedStream
            case curl(PLEDGE_CURL_PARTIAL_FILE): self = .connectionLost("the response was cut short")
            case curl(PLEDGE_CURL_PEER_FAILED_VERIFICATION): self = .untrusted(Self.certificateProblem(detail))
            case curl(PLEDGE_CURL_SSL_CONNECT_ERROR):
                self = TransportError(libcurlSays: detail) ?? .untrusted("no encryption could be negotiated")
            case curl(PLEDGE_CURL_SSL_CACERT_BADFILE):
                self = .untrusted(
                    "the file of trusted certificates cannot be read: is ca-certificates installed, and do "
                        + "CURL_CA_BUNDLE and SSL_CERT_FILE name a file?")
            case curl(PLEDGE_CURL_SSL_CERTPROBLEM), curl(PLEDGE_CURL_SSL_CIPHER), curl(PLEDGE_CURL_SSL_ISSUER_ERROR),
                curl(PLEDGE_CURL_SSL_INVALIDCERTSTATUS):
                self = .untrusted(String(cString: pledge_curl_easy_text(outcome)))
            case curl(PLEDGE_CURL_BAD_CONTENT_ENCODING): self = .badResponse("the body cannot be decompressed")
            case curl(PLEDGE_CURL_WEIRD_SERVER_REPLY), curl(PLEDGE_CURL_UNSUPPORTED_PROTOCOL):
                self = .badResponse("the response is not HTTP")
            case curl(PLEDGE_CURL_URL_MALFORMAT): self = .unsendable("the URL is not valid")
            case curl(PLEDGE_CURL_LOGIN_DENIED): self = .unsendable("the URL contains a user name")
            case curl(PLEDGE_CURL_PROXY_ERROR): self = .unreachable("the proxy refused")
            case curl(PLEDGE_CURL_OUT_OF_MEMORY): self = .headersTooLarge
            default:
                let detail = detail.isEmpty ? String(cString: pledge_curl_easy_text(outcome)) : detail
                self =
                    TransportError(libcurlSays: detail)
                    ?? .connectionLost(exchange.hasHead ? "the response was cut short" : "closed without a response")
            }
        }
    }

    private func curl(_ outcome: PledgeCurlOutcome) -> CInt { CInt(outcome.rawValue) }
#endif

extension TransportError {
    /// Creates a transport error from an error of Foundation.
    init(_ error: any Error, beforeResponse: Bool) {
        guard let error = error as? URLError else {
            self = .connectionLost("\(error.localizedDescription)")
            return
        }
        let detail = "code \(error.code.rawValue)"
        #if os(Linux)
            // Foundation refused a header line. With libcurl 8, the message is the same if Foundation refuses a part of
            // the body. So the error is about a header line only if it occurred before the response.
            if beforeResponse, error.code == .unknown, error.localizedDescription.hasPrefix("Failure writing output") {
                self = .badResponse("the headers cannot be read")
                return
            }
            // Foundation uses these two codes in two cases: if it has no code for the error, or if an earlier address
            // of the host refused the connection. In both cases, the message tells the actual error.
            if error.code == .unknown || error.code == .cannotConnectToHost {
                // With an unknown message, the request may have been sent. It must not count as unsent only because an
                // earlier address refused.
                self = TransportError(libcurlSays: error.localizedDescription) ?? .connectionLost(detail)
                return
            }
        #endif
        switch error.code {
        case .badURL:
            self = .unsendable(
                "URLSession does not accept the URL; on Linux, it doesn't accept IPv6 addresses: use a host name, or "
                    + "libcurl")
        case .cannotFindHost, .dnsLookupFailed: self = .unreachable("the host name is not known")
        case .cannotConnectToHost: self = .unreachable("the host refused")
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: self = .unreachable("offline")
        case .serverCertificateHasBadDate: self = .untrusted("the certificate has expired")
        case .serverCertificateNotYetValid: self = .untrusted("the certificate is not valid yet")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self = .untrusted(detail)
        // The URL of every request is `http` or `https`, so this error is about the response.
        case .unsupportedURL: self = .badResponse("the response is not HTTP")
        // Foundation on Linux reports this for a connection that was closed without a response.
        case .badServerResponse where beforeResponse: self = .connectionLost("closed without a response")
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            self = .badResponse(detail)
        default: self = .connectionLost(detail)
        }
    }
}
