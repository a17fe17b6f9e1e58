#if os(Linux)
    import Testing

    @testable import PledgeHTTP

    @Suite("A failure of libcurl's")
    struct TransportErrorTests {
        @Test(
            "is what its words say, with whichever library for encryption",
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

        @Test("comes from no time limit, which is at least a millisecond, rounded up, and at most some decades")
        func milliseconds() {
            let limits = [-1, 0.0004, 1, 1.0001, 1e30].map { CurlHandle.milliseconds($0) }
            #expect(limits == [1, 1, 1_000, 1_001, 1_000_000_000_000] && TransportError.headerLimit == 256 << 10)
        }
    }
#endif
