#if os(Linux)
    import Foundation
    internal import PledgeLibraries

    extension TransportError {
        /// Creates an error from libcurl's outcome. `detail` is examined, never shown: it may quote the request.
        init(curl outcome: CInt, detail: String, _ exchange: CurlExchange) {
            switch outcome {
            case curl(PLEDGE_CURL_COULDNT_RESOLVE_HOST): self = .unreachable("the host name is not known")
            case curl(PLEDGE_CURL_COULDNT_RESOLVE_PROXY): self = .unreachable("the proxy's name is not known")
            case curl(PLEDGE_CURL_COULDNT_CONNECT):
                self = .unreachable(exchange.proxy == nil ? "the host refused" : "the proxy cannot be reached")
            case curl(PLEDGE_CURL_OPERATION_TIMEDOUT): self = .unreachable("no connection in time")
            case curl(PLEDGE_CURL_ABORTED_BY_CALLBACK), curl(PLEDGE_CURL_GOT_NOTHING):
                self = .connectionLost("closed without a response")
            // It would have sent a body from files again; see `CurlExchange.mayBeSent`.
            case curl(PLEDGE_CURL_SEND_FAIL_REWIND) where exchange.isFirstOnConnection: self = .refusedStream
            case curl(PLEDGE_CURL_PARTIAL_FILE): self = .connectionLost("the response was cut short")
            case curl(PLEDGE_CURL_PEER_FAILED_VERIFICATION): self = .untrusted(Self.certificateProblem(detail))
            case curl(PLEDGE_CURL_SSL_CONNECT_ERROR):
                self = TransportError(libcurlSays: detail) ?? .untrusted("no encryption could be negotiated")
            case curl(PLEDGE_CURL_SSL_CACERT_BADFILE):
                self = .untrusted(
                    "the file of trusted certificates cannot be read: is ca-certificates installed, and do CURL_CA_BUNDLE "
                        + "and SSL_CERT_FILE name a file?")
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
