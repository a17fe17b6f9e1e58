import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
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
            // Foundation refused a header line: libcurl 8 has the same message for that as for a part of the body.
            if beforeResponse, error.code == .unknown, error.localizedDescription.hasPrefix("Failure writing output") {
                self = .badResponse("the headers cannot be read")
                return
            }
            // The code for errors that have none, and the one used if an earlier address refused the connection.
            if error.code == .unknown || error.code == .cannotConnectToHost,
                let said = TransportError(libcurlSays: error.localizedDescription)
            {
                self = said
                return
            }
        #endif
        switch error.code {
        case .badURL:
            self = .unsendable(
                "URLSession does not accept the URL; on Linux, it accepts no IPv6 address: use a host name, or libcurl")
        case .cannotFindHost, .dnsLookupFailed: self = .unreachable("the host name is not known")
        case .cannotConnectToHost: self = .unreachable("the host refused")
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: self = .unreachable("offline")
        case .serverCertificateHasBadDate: self = .untrusted("the certificate has expired")
        case .serverCertificateNotYetValid: self = .untrusted("the certificate is not valid yet")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self = .untrusted(detail)
        // All URLs sent are `http` or `https`: the error is about the response.
        case .unsupportedURL: self = .badResponse("the response is not HTTP")
        // Foundation on Linux reports this for a connection that was closed without a response.
        case .badServerResponse where beforeResponse: self = .connectionLost("closed without a response")
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            self = .badResponse(detail)
        default: self = .connectionLost(detail)
        }
    }
}
