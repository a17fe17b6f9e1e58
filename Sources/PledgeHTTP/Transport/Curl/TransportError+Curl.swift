#if os(Linux)
    import Foundation
    internal import PledgeCurl

    extension TransportError {
        /// What libcurl says, in our words. `detail` is looked at but not passed on: it may name what was sent.
        init(curl outcome: CInt, detail: String, _ exchange: CurlExchange) {
            switch outcome {
            case curl(PLEDGE_CURL_COULDNT_RESOLVE_HOST): self = .unreachable("the host name is not known")
            case curl(PLEDGE_CURL_COULDNT_RESOLVE_PROXY): self = .unreachable("the proxy's name is not known")
            case curl(PLEDGE_CURL_COULDNT_CONNECT): self = .unreachable("the host refused")
            case curl(PLEDGE_CURL_OPERATION_TIMEDOUT): self = .unreachable("no connection in time")
            case curl(PLEDGE_CURL_ABORTED_BY_CALLBACK), curl(PLEDGE_CURL_GOT_NOTHING):
                self = .connectionLost("closed without a reply")
            case curl(PLEDGE_CURL_PARTIAL_FILE): self = .connectionLost("the reply was cut short")
            case curl(PLEDGE_CURL_PEER_FAILED_VERIFICATION): self = .untrusted(Self.certificateProblem(detail))
            case curl(PLEDGE_CURL_SSL_CONNECT_ERROR): self = .untrusted("no encryption could be agreed on")
            case curl(PLEDGE_CURL_SSL_CACERT_BADFILE):
                self = .untrusted("the file of trusted certificates cannot be read")
            case curl(PLEDGE_CURL_SSL_CERTPROBLEM), curl(PLEDGE_CURL_SSL_CIPHER), curl(PLEDGE_CURL_SSL_ISSUER_ERROR),
                curl(PLEDGE_CURL_SSL_INVALIDCERTSTATUS):
                self = .untrusted(String(cString: pledge_curl_easy_text(outcome)))
            case curl(PLEDGE_CURL_BAD_CONTENT_ENCODING): self = .badReply("the body cannot be unpacked")
            case curl(PLEDGE_CURL_WEIRD_SERVER_REPLY), curl(PLEDGE_CURL_UNSUPPORTED_PROTOCOL):
                self = .badReply("what came is not HTTP")
            case curl(PLEDGE_CURL_URL_MALFORMAT): self = .unsendable("the address cannot be read")
            case curl(PLEDGE_CURL_LOGIN_DENIED): self = .unsendable("the address holds a user name")
            case _ where detail.contains("chunk"): self = .badReply("the body's chunks cannot be read")
            case _ where detail.lowercased().contains("header"): self = .badReply("the headers cannot be read")
            default: self = .connectionLost(exchange.hasHead ? "the reply was cut short" : "closed without a reply")
            }
        }

        /// OpenSSL's words, and GnuTLS's, for what is wrong with a certificate.
        private static func certificateProblem(_ detail: String) -> String {
            let detail = detail.lowercased()
            if detail.contains("self-signed") || detail.contains("self signed") {
                return "the certificate is self-signed"
            }
            if detail.contains("expired") { return "the certificate has expired" }
            if detail.contains("not yet valid") { return "the certificate is not valid yet" }
            if detail.contains("does not match") || detail.contains("no alternative certificate subject name") {
                return "the certificate is for another host"
            }
            if detail.contains("revoked") { return "the certificate was revoked" }
            return "nobody trusted has signed the certificate"
        }
    }

    private func curl(_ outcome: PledgeCurlOutcome) -> CInt { CInt(outcome.rawValue) }
#endif
