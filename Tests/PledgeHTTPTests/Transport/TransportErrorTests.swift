#if os(Linux)
    import Foundation
    import FoundationNetworking
    import Testing

    @testable import PledgeHTTP

    @Suite("A libcurl error")
    struct TransportErrorTests {
        @Test(
            "A libcurl error is recognized by its text, with each TLS library that libcurl may use",
            arguments: [
                ("Failed to connect to x", .unreachable("the host refused")),
                ("Couldn't connect to server", .unreachable("the host refused")),
                ("Could not resolve proxy: x", .unreachable("the proxy's name is not known")),
                ("CONNECT tunnel failed, response 407", .unreachable("the proxy asks for a password")),
                ("CONNECT tunnel failed, response 403", .unreachable("the proxy refused")),
                ("Received HTTP code 407 from proxy after CONNECT", .unreachable("the proxy asks for a password")),
                ("Proxy CONNECT aborted", .unreachable("the proxy refused")),
                ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in x", .connectionLost("closed without a response")),
                ("OpenSSL SSL_connect: Connection reset by peer", .connectionLost("closed without a response")),
                ("SSL certificate problem: self-signed certificate", .untrusted("the certificate is self-signed")),
                ("SSL certificate problem: self signed certificate", .untrusted("the certificate is self-signed")),
                ("SSL certificate problem: certificate has expired", .untrusted("the certificate has expired")),
                ("SSL: certificate is not yet valid", .untrusted("the certificate is not valid yet")),
                ("SSL: certificate name does not match", .untrusted("the certificate is for another host")),
                ("SSL: no alternative certificate subject name", .untrusted("the certificate is for another host")),
                ("SSL certificate problem: revoked", .untrusted("the certificate was revoked")),
                ("server certificate failed", .untrusted("the certificate is not signed by a trusted authority")),
                ("OpenSSL/3.0: wrong version", .untrusted("no encryption could be negotiated")),
                ("TLS connect error: x", .untrusted("no encryption could be negotiated")),
                ("Too large response headers: 1", .headersTooLarge), ("Out of memory", .headersTooLarge),
                ("Illegal hexadecimal sequence in chunked-encoding", .badResponse("the body's chunks cannot be read")),
                ("Invalid Content-Length: value", .badResponse("the response is not HTTP")),
                ("Error while processing content unencoding", .badResponse("the body cannot be decompressed")),
                ("Unrecognized content encoding type", .badResponse("the body cannot be decompressed")),
                ("Header without colon", .badResponse("the headers cannot be read")), ("SSL is busy", nil),
            ] as [(String, TransportError?)])
        func words(text: String, error: TransportError?) { #expect(TransportError(libcurlSays: text) == error) }

        @Test("If Foundation reports a refused connection with an unknown message, the request may have been sent")
        func unknownMessage() {
            for (text, isUnsent) in [
                ("Failed to connect to b port 1", true), ("Could not connect to server", true),
                ("Empty reply from server", false),
            ] {
                let error = URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: text])
                guard case .connectionLost = TransportError(error, beforeResponse: true) else {
                    #expect(isUnsent, "\(text)")
                    continue
                }
                #expect(!isUnsent, "\(text)")
            }
        }

        private func exchange(over proxy: URL? = nil) -> CurlExchange {
            let (promise, seal) = Promise<RawResponse>.pending()
            promise.catch { _ in }
            return CurlExchange(request: OutgoingRequest(url: URL(fileURLWithPath: "/")), proxy: proxy, seal: seal)
        }

        @Test(
            "A libcurl error about a certificate keeps libcurl's text; a Foundation error keeps its code",
            arguments: [58, 59, 83, 91])
        func codes(curl: CInt) throws {
            _ = try CurlTransport()
            let error = "\(TransportError(curl: curl, detail: "", exchange()))"
            #expect(error.hasPrefix("the connection is not secure (") && error.count > 40)
            let known: [(any Error, TransportError)] = [
                (URLError(.secureConnectionFailed), .untrusted("code -1200")),
                (URLError(.cannotParseResponse), .badResponse("code -1017")),
                (CocoaError(.fileNoSuchFile), .connectionLost(CocoaError(.fileNoSuchFile).localizedDescription)),
                (
                    URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: "Failure writing output to destination"]),
                    .badResponse("the headers cannot be read")
                ),
            ]
            for (error, expected) in known { #expect(TransportError(error, beforeResponse: true) == expected) }
        }

        @Test("Before a request was sent, an error of libcurl blames the proxy only if there is one")
        func unsent() throws {
            _ = try CurlTransport()
            let proxy = try #require(URL(string: "http://proxy.example:3128"))
            // libcurl has no memory left, or can't send.
            for (code, direct, proxied) in [
                (27, .headersTooLarge, .unreachable("the proxy's response is not valid HTTP")),
                (55, Self.lost, Self.lost),
            ] as [(CInt, TransportError, TransportError)] {
                #expect(TransportError(curl: code, detail: "", exchange()) == direct)
                #expect(TransportError(curl: code, detail: "", exchange(over: proxy)) == proxied)
            }
        }

        private static let lost = TransportError.unreachable("the connection was lost before the request was sent")

        @Test("A libcurl response fails for headers above 256 KiB, and for a status of more than three digits")
        func lines() {
            for (length, status, isReceived) in [
                (1 << 18, "204", true), (1 << 18 + 1, "204", false), (99, "2040", false),
            ] {
                let line = Array("HTTP/1.1 \(status) ".utf8) + Array(repeating: 0x61, count: length - 10 - status.count)
                line.withUnsafeBufferPointer { #expect(exchange().receive(line: $0) == isReceived) }
            }
        }

        @Test(
            "A time limit for libcurl is rounded up to whole milliseconds, and is cut to a few decades if it is longer")
        func milliseconds() {
            let limits = [-1, 0.0004, 1, 1.0001, 1e30].map { CurlHandle.milliseconds($0) }
            #expect(limits == [1, 1, 1_000, 1_001, 1_000_000_000_000] && TransportError.headerLimit == 256 << 10)
        }
    }
#endif
