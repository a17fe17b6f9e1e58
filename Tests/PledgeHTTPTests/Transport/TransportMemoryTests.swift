#if os(Linux) && compiler(>=6.2)
    import Foundation
    import PledgeHTTP
    import PledgeSandbox
    import PledgeTestSupport
    import Testing

    /// Each test runs in its own process, in which only the transport and the test's service use memory. The
    /// measurements include the service's memory.
    @Suite(
        "Memory for files and for hostile responses", .serialized,
        .disabled(if: SmallStack.isSanitized, "a sanitizer keeps what was let go"))
    struct TransportMemoryTests {
        /// The maximum size of a response's body. In a long run, it is the default limit of a request.
        static let bodyLimit = Rounds.isLong ? OutgoingRequest(url: URL(fileURLWithPath: "/")).bodyLimit : 8 << 20
        static let limit = bodyLimit + (64 << 20)
        static let size = (Rounds.isLong ? 256 : 40) << 20
        static let fileLimit = 32 << 20

        @Test("With each fault of a service, libcurl uses less than 64 MiB in addition to the largest permitted body")
        func curl() async {
            await #expect(processExitsWith: .success) { try await TransportMemoryTests.measure(.curl) }
        }

        @Test("URLSession uses less than 64 MiB in addition to the largest body, except for faults marked as unlimited")
        func urlSession() async {
            await #expect(processExitsWith: .success) { try await TransportMemoryTests.measure(.urlSession) }
        }

        @Test("To send and receive a file, libcurl needs much less memory than the file's size")
        func curlFiles() async {
            await #expect(processExitsWith: .success) { try await TransportMemoryTests.measureFiles(.curl) }
        }

        @Test("To send and receive a file, URLSession needs much less memory than the file's size")
        func urlSessionFiles() async {
            await #expect(processExitsWith: .success) { try await TransportMemoryTests.measureFiles(.urlSession) }
        }

        static func measure(_ kind: StandardTransport.Kind) async throws {
            for fault in TransportFault.all where fault.runs(over: kind) {
                if kind == .urlSession, fault.isUnlimitedOverURLSession { continue }
                // A static response is created when it is first used, and stays in memory. It is created here, before
                // the measurement, because its memory belongs to the test.
                _ = fault.response()
                ResidentMemory.forgetPeak()
                let before = ResidentMemory.now
                _ = try await fault.outcome(over: kind, .get, nil, bodyLimit: bodyLimit)
                let growth = ResidentMemory.peak - before
                #expect(growth < limit, "\(growth >> 20) MiB: \(fault.name) over \(kind.rawValue)")
            }
        }

        /// Measures the memory for sending and receiving a large file. The service keeps none of the bytes.
        static func measureFiles(_ kind: StandardTransport.Kind) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.file("body", holding: "")
            try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(size))
            let sink = try ByteServer.sink()
            defer { sink.stop() }
            var options = EndpointClient.Options()
            options.transport = StandardTransport(kind)
            options.timeout = 3600
            ResidentMemory.forgetPeak()
            let before = ResidentMemory.now

            let client = EndpointClient(baseURL: sink.url, options: options)
            let form = EndpointBody.multipart([.text("a", "b"), .file("body", at: file, type: "a/b")])
            let plain = Endpoint<Int>(.put, "", body: .file(file, type: "a/b"))
            #expect(try await client.value(of: plain).value == size)
            #expect(try await client.value(of: Endpoint<Int>(.put, "", body: form)).value > size)
            let sent = ResidentMemory.peak - before
            #expect(sent < fileLimit, "\(sent >> 20) MiB to send over \(kind.rawValue)")

            let piece = Data(repeating: 7, count: 1 << 20)
            let head = Data("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)
            let steps = [.send(head)] + [ServerStep](repeating: .send(piece), count: size >> 20)
            let server = LoopbackServer(routes: [ServerRoute("GET /") { _ in .steps(steps) }])
            try server.start()
            defer { server.stop() }
            ResidentMemory.forgetPeak()
            let start = ResidentMemory.now
            let response = folder.url.appendingPathComponent("response")
            _ = try await EndpointClient(baseURL: server.baseURL, options: options)
                .download(Endpoint(.get, ""), to: response).value
            let received = ResidentMemory.peak - start
            #expect(received < fileLimit, "\(received >> 20) MiB to receive over \(kind.rawValue)")
            let count = try FileManager.default.attributesOfItem(atPath: response.path)[.size] as? Int
            #expect(count == size)
        }
    }
#endif
