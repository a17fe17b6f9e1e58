import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportError {
    /// Foundation's error in our words.
    init(_ error: any Error, beforeReply: Bool) {
        guard let error = error as? URLError else {
            self = .connectionLost("\(error.localizedDescription)")
            return
        }
        let detail = "code \(error.code.rawValue)"
        #if os(Linux)
            // The code for all that Foundation has none for, and the one it takes when an earlier address was refused.
            if error.code == .unknown || error.code == .cannotConnectToHost,
                let said = TransportError(libcurlSays: error.localizedDescription)
            {
                self = said
                return
            }
        #endif
        switch error.code {
        case .cannotFindHost, .dnsLookupFailed: self = .unreachable("the host name is not known")
        case .cannotConnectToHost: self = .unreachable("the host refused")
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: self = .unreachable("offline")
        case .serverCertificateHasBadDate: self = .untrusted("the certificate has expired")
        case .serverCertificateNotYetValid: self = .untrusted("the certificate is not valid yet")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .clientCertificateRejected, .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self = .untrusted(detail)
        // Our addresses are all http or https: it is what came back that is neither.
        case .unsupportedURL: self = .badReply("what came is not HTTP")
        // What Foundation on Linux says of a connection that was closed instead of answered.
        case .badServerResponse where beforeReply: self = .connectionLost("closed without a reply")
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            self = .badReply(detail)
        default: self = .connectionLost(detail)
        }
    }
}
