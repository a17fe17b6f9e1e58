#if os(Linux)
    import Foundation
    import PledgeTestSupport
    import Testing

    @testable import PledgeHTTP

    @Suite("A write over HTTP/2", .serialized, .needs("python3", "openssl"))
    struct RefusedStreamTests {
        /// Sends POSTs one after the other to a service that follows the plan; see `CertificateAuthority.http2(_:)`.
        /// Returns the outcomes, and the number of requests that the service received.
        private func outcomes(
            _ plan: String, calls: Int = 1, body: EndpointBody = .json(Data("{}".utf8)), retry: RetryRule = .never
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
            var outcomes: [String] = []
            for _ in 0..<calls {
                switch await client.send(Endpoint<Void>(.post, "", body: body)).settled().value {
                case .success(let sent): outcomes.append("\(sent.response.status)")
                case .failure(let error as ExchangeError):
                    guard case .transport(let reason) = error.reason else { throw error }
                    outcomes.append(reason == .refusedStream ? "refused" : "\(reason)".prefix { $0 != "(" } + "")
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
            ])
        func refused(plan: String, expected: [[String]]) async throws {
            let calls = expected[0].count
            let (outcomes, received) = try await outcomes(plan, calls: calls)
            #expect(expected.contains(outcomes) && received == calls, "\(outcomes), \(received)")
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
