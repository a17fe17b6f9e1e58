#if os(Linux) && compiler(>=6.2)
    import Foundation
    import PledgeHTTP
    import PledgeSandbox
    import PledgeTestSupport
    import Testing

    /// Each test has its own process, in which the service holds none of the bytes.
    @Suite(
        "Memory for bodies in files", .serialized,
        .disabled(if: SmallStack.isSanitized, "a sanitizer keeps what was let go"))
    struct FileMemoryTests {
        static let size = (Rounds.isLong ? 256 : 40) << 20
        static let limit = 32 << 20

        @Test("libcurl sends and receives files in a part of their size")
        func curl() async {
            await #expect(processExitsWith: .success) { try await FileMemoryTests.measure(.curl) }
        }

        @Test("URLSession sends and receives files in a part of their size")
        func urlSession() async {
            await #expect(processExitsWith: .success) { try await FileMemoryTests.measure(.urlSession) }
        }

        static func measure(_ kind: StandardTransport.Kind) async throws {
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
            #expect(sent < limit, "\(sent >> 20) MiB to send over \(kind.rawValue)")

            let piece = Data(repeating: 7, count: 1 << 20)
            let head = Data("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)
            let steps = [.send(head)] + [ServerStep](repeating: .send(piece), count: size >> 20)
            let server = LoopbackServer(routes: [ServerRoute("GET /") { _ in .steps(steps) }])
            try server.start()
            defer { server.stop() }
            ResidentMemory.forgetPeak()
            let start = ResidentMemory.now
            let reply = folder.url.appendingPathComponent("reply")
            _ = try await EndpointClient(baseURL: server.baseURL, options: options)
                .download(Endpoint(.get, ""), to: reply).value
            let received = ResidentMemory.peak - start
            #expect(received < limit, "\(received >> 20) MiB to receive over \(kind.rawValue)")
            let count = try FileManager.default.attributesOfItem(atPath: reply.path)[.size] as? Int
            #expect(count == size)
        }
    }
#endif
