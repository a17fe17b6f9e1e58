#if os(Linux)
    import Foundation
    import PledgeTestSupport
    import Testing

    @testable import PledgeHTTP

    @Suite("A write over HTTP/2", .serialized, .needs("python3", "openssl"))
    struct RefusedStreamTests {
        /// Sends POSTs to a service that follows the plan; see `CertificateAuthority.http2(_:)`. Sends them one after the
        /// other, or all together. Returns the outcomes, and the number of requests that the service received.
        private func outcomes(
            _ plan: String, calls: Int = 1, together: Bool = false, body: EndpointBody = .json(Data("{}".utf8)),
            retry: RetryRule = .never
        ) async throws -> (outcomes: [String], received: Int) {
            let authority = try CertificateAuthority()
            let (server, received) = try authority.http2(plan)
            defer { server.stop() }
            let transport = try authority.transport()
            let options = EndpointClient.Options().with {
                ($0.transport, $0.retry, $0.timeout) = (transport, retry, 600)
                $0.clock = InstantTimekeeper().timekeeper
            }
            let client = EndpointClient(baseURL: server.address, options: options)
            let send = { client.send(Endpoint<Void>(.post, "", body: body)).settled() }
            var results: [Result<Decoded<Void>, any Error>] = []
            if together {
                for call in (0..<calls).map({ _ in send() }) { results.append(await call.value) }
            } else {
                for _ in 0..<calls { results.append(await send().value) }
            }
            let outcomes = try results.map { result in
                switch result {
                case .success(let sent): return "\(sent.response.status)"
                case .failure(let error as ExchangeError):
                    guard case .transport(let reason) = error.reason else { throw error }
                    return reason == .refusedStream ? "refused" : "\(reason)".prefix { $0 != "(" } + ""
                case .failure(let error): throw error
                }
            }
            return (outcomes, received())
        }

        @Test(
            "A POST over HTTP/2 reports a refused stream if libcurl can tell it from a lost connection",
            arguments: [
                ("refuse", [["refused"]]), ("close", [["the connection was lost "]]),
                // Newer versions of libcurl know that the service has not processed the request.
                ("goaway", [["the connection was lost "], ["refused"]]), ("cancel", [["the connection was lost "]]),
                ("ok,refuse,ok", [["200", "the connection was lost ", "200"]]),
                ("ok,close,ok", [["200", "the connection was lost ", "200"]]),
                // libcurl connects again, which is refused. The service may have processed the request before.
                ("ok,leave", [["200", "the connection was lost "]]),
            ])
        func refused(plan: String, expected: [[String]]) async throws {
            let calls = expected[0].count
            let (outcomes, received) = try await outcomes(plan, calls: calls)
            #expect(expected.contains(outcomes) && received == calls, "\(outcomes), \(received)")
        }

        @Test("If a connection with several POSTs is lost, none of them counts as refused")
        func shared() async throws {
            let (outcomes, received) = try await outcomes("wait,reset", calls: 2, together: true)
            #expect(outcomes == Array(repeating: "the connection was lost ", count: 2) && received == 2, "\(outcomes)")
        }

        @Test("A POST over HTTP/2 is repeated after its stream was refused, but not after the connection was lost")
        func repeated() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.file("body", holding: String(repeating: "0123456789", count: 50_000))
            for body in [EndpointBody.json(Data("{}".utf8)), .file(file, type: "text/plain")] {
                let (outcomes, received) = try await outcomes("refuse,refuse,ok", body: body, retry: RetryRule())
                #expect(outcomes == ["200"] && received == 3, "\(outcomes), \(received)")
            }
            let (lost, received) = try await outcomes("close,ok", retry: RetryRule())
            #expect(lost == ["the connection was lost "] && received == 1, "\(lost), \(received)")
        }
    }

    /// Tests with nginx as the service.
    @Suite("HTTP/2", .serialized, .needs("nginx", "openssl"))
    struct HTTP2Tests {
        @Test("Many requests share one connection if the service offers HTTP/2")
        func oneConnection() async throws {
            let authority = try CertificateAuthority()
            let server = try authority.nginx()
            defer { server.stop() }
            let transport = try authority.transport(requestsInFlight: 32)
            let responses = try await when(
                fulfilled: (0..<200).map { _ in
                    transport.send(OutgoingRequest(url: server.address, timeout: 600)).map {
                        String(decoding: $0.body, as: UTF8.self)
                    }
                }
            ).value
            #expect(Set(responses.map { $0.split(separator: " ").first }) == ["HTTP/2.0"])
            #expect(Set(responses.map { $0.split(separator: " ").last }).count == 1)
        }
    }
#endif
