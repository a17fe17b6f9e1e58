import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Bodies in files", .serialized)
struct FileTransferTests {
    typealias Kind = StandardTransport.Kind

    /// Passes requests on without the files: what a transport of someone else's receives.
    private struct Plain: HTTPTransport {
        let base = StandardTransport()

        func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
            base.send(
                OutgoingRequest(
                    method: request.method, url: request.url, headers: request.headers, body: request.body,
                    timeout: request.timeout, bodyLimit: request.bodyLimit))
        }
    }

    private static let transports: [@Sendable () -> any HTTPTransport] =
        Kind.allCases.map { kind in { @Sendable in StandardTransport(kind) } } + [{ Plain() }]

    private let folder: TemporaryFolder
    private let things: ThingServer
    /// More than one piece of any transport, none of them alike.
    private let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 251 ^ $0) })

    init() throws {
        folder = try TemporaryFolder()
        things = try ThingServer()
    }

    private func content(_ name: String) -> Data? { FileManager.default.contents(atPath: folder.path(name)) }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted()
    }

    // MARK: Replies

    @Test("A reply is in its file, for its owner alone, in place of an earlier file", arguments: 0..<3)
    func download(transport: Int) async throws {
        let file = try folder.file("reply", holding: "old")
        things.server.script.next(respond: ServerResponse(status: 200, headers: ["ETag": "7"], body: bytes))
        things.server.script.next(respond: .empty(200))
        let client = things.client(transport: Self.transports[transport]())

        let reply = try await client.download(Endpoint(.get, "thing/"), to: file).value

        #expect(things.server.requests.first?.headers["Accept"] == "*/*")
        #expect(reply.body.isEmpty && reply.file == file && reply.headers["ETag"] == "7")
        #expect(content("reply") == bytes && names == ["reply"])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect("\(things.events.withLock { $0.map(\.description) })".contains("answered 200 with 200000 bytes"))

        _ = try await client.download(Endpoint(.get, "thing/"), to: file).value
        #expect(content("reply") == Data())
    }

    @Test("A failed download leaves an existing file as it is, and nothing else", arguments: 0..<3)
    func failedDownload(transport: Int) async throws {
        let file = try folder.file("reply", holding: "old")
        let whole = ServerResponse(status: 200, body: bytes)
        let client = things.client(transport: Self.transports[transport]()) { $0.retry = .never }
        func error(_ response: ServerResponse, atMost limit: Int = 1 << 20, to url: URL? = nil) async throws -> String {
            things.server.script.next(respond: response)
            let call = client.download(Endpoint(.get, "thing/"), to: url ?? file, atMost: limit)
            return "\(try #require(await call.failure()))"
        }

        #expect(try await error(.json(["detail": "There is none."], status: 404)).contains("“There is none”"))
        #expect(try await error(whole, atMost: 100_000).contains("larger than 100000 bytes"))
        #expect(try await error(whole.cut(after: 150_000)).contains("connection was lost"))
        #expect(try await error(.empty(302, headers: ["Location": "https://evil.example/"])).contains("redirects"))
        let nowhere = folder.url.appendingPathComponent("kqzx78/reply")
        let unwritten = try await error(whole, to: nowhere)
        #expect(unwritten.contains("could not be written to the file") && !unwritten.contains("kqzx"))
        #expect(try await error(whole, to: folder.url).contains("could not be written to the file"))

        #expect(folder.text("reply") == "old" && names == ["reply"])
    }

    @Test("Only a whole reply replaces a file: no part, and nothing without content", arguments: 0..<3)
    func notWhole(transport: Int) async throws {
        let file = try folder.file("reply", holding: "old")
        let client = things.client(transport: Self.transports[transport]()) { $0.retry = .never }
        for status in [201, 202, 203, 204, 205, 206, 207, 226] {
            let hasNone = status == 204 || status == 205
            things.server.script.next(
                respond: ServerResponse(
                    status: status, headers: status == 206 ? ["Content-Range": "bytes 0-4/9"] : [:],
                    body: hasNone ? Data() : Data("piece".utf8)))
            let error = await client.download(Endpoint(.get, "thing/"), to: file).failure()
            #expect((error as? ExchangeError)?.status == status)
            #expect("\(error as Any)".contains("A file is replaced only by a whole one"))
            #expect(folder.text("reply") == "old" && names == ["reply"], "\(status)")
        }
        var created = Endpoint<Void>(.get, "thing/")
        created.accepts = { $0.status == 201 }
        #expect(await !"\(client.send(created).failure() as Any)".contains("A file"))
    }

    @Test("A retried download holds the last reply only", arguments: 0..<3)
    func retriedDownload(transport: Int) async throws {
        let file = folder.url.appendingPathComponent("reply")
        let whole = ServerResponse(status: 200, body: bytes)
        things.server.script.next(respond: whole.cut(after: 150_000))
        things.server.script.next(respond: .text("Wait.", status: 503))
        things.server.script.next(respond: whole)

        let client = things.client(transport: Self.transports[transport]())
        _ = try await client.download(Endpoint(.get, "thing/"), to: file).value

        #expect(content("reply") == bytes && names == ["reply"])
    }

    @Test("A canceled download leaves nothing", arguments: Kind.allCases)
    func cancelledDownload(kind: Kind) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        things.server.script.next(respond: .steps([.send(Data(head.utf8) + bytes), .wait]))
        let file = folder.url.appendingPathComponent("reply")
        let (received, seal) = Promise<Void>.pending()

        let client = things.client(transport: StandardTransport(kind))
        let call = client.download(Endpoint(.get, "thing/"), to: file) { progress in
            if progress.bytesReceived == 200_000 { seal.fulfill(()) }
        }
        try await received.value
        #expect(names.count == 1)
        call.cancel()

        #expect(await call.failure()?.isCancelled == true)
        await Wait.until { names.isEmpty }
    }

    // MARK: Requests

    @Test("A body from a file is sent whole, and again for a retry", arguments: 0..<3)
    func upload(transport: Int) async throws {
        let file = folder.url.appendingPathComponent("body")
        try bytes.write(to: file)
        things.server.script.next(respond: .empty(503))
        things.server.script.next(respond: .empty(200))
        things.server.script.next(respond: .empty(200))
        let client = things.client(transport: Self.transports[transport]())

        try await client.value(of: Endpoint<Void>(.put, "thing/", body: .file(file, type: "image/png"))).value
        // A handle that has sent a file then sends bytes.
        try await client.value(of: Endpoint<Void>(.put, "thing/", body: .data(Data("a".utf8), type: "b/c"))).value

        let sent = things.server.requests
        #expect(sent.map(\.method) == ["PUT", "PUT", "PUT"] && sent[0].body == bytes && sent[1].body == bytes)
        #expect(sent[1].headers["Content-Type"] == "image/png" && sent[1].headers["Content-Length"] == "200000")
        #expect(sent[1].headers["Transfer-Encoding"] == nil && sent[1].headers["Expect"] == nil)
        #expect(sent[2].body == Data("a".utf8))
    }

    @Test("An empty file is an empty body, and a POST and a PATCH send files, too", arguments: 0..<3)
    func methods(transport: Int) async throws {
        let (empty, file) = (try folder.file("empty", holding: ""), try folder.file("body", holding: "abc"))
        things.server.script.next(3, respond: .empty(204))
        let client = things.client(transport: Self.transports[transport]())

        try await client.value(of: Endpoint<Void>(.put, "thing/", body: .file(empty, type: "a/b"))).value
        try await client.value(of: Endpoint<Void>(.post, "thing/", body: .file(file, type: "a/b"))).value
        try await client.value(of: Endpoint<Void>(.patch, "thing/", body: .file(file, type: "a/b"))).value

        let sent = things.server.requests.map { "\($0.method) \(String(decoding: $0.body, as: UTF8.self))" }
        #expect(sent == ["PUT ", "POST abc", "PATCH abc"])
    }

    @Test("A file that cannot be read is an error before anything is sent, without its path")
    func unreadable() async throws {
        let missing = folder.url.appendingPathComponent("kqzx78")
        let client = things.client()
        for (url, problem) in [
            (missing, "No such file or directory"), (folder.url, "it is not a regular file"),
            (things.server.baseURL, "its URL is not that of a file"),
        ] {
            let bodies: [EndpointBody] = [
                .file(url, type: "a/b"), .multipart([.file("f", at: url, filename: "f", type: "a/b")]),
            ]
            for body in bodies {
                let error = await client.value(of: Endpoint<Void>(.put, "thing/", body: body)).failure()
                let text = "\(try #require(error))"
                #expect(text.hasSuffix("failed: a file of the body cannot be read: \(problem)."))
                #expect(!text.contains("kqzx") && !"\(body)".contains("kqzx"))
            }
        }
        #expect(things.server.requests.isEmpty)
    }

    @Test(
        "A file that becomes shorter before it is sent is an error, and no request with its old size",
        .enabled(if: StandardTransport(.curl).kind == .curl, "URLSession looks at the size itself, and sends the rest")
    )
    func shrinking() async throws {
        let file = folder.url.appendingPathComponent("body")
        try bytes.write(to: file)
        let transport = StandardTransport(.curl)
        let client = things.client(transport: transport) { $0.adapt = { _ in try Data("short".utf8).write(to: file) } }

        let error = await client.value(of: Endpoint<Void>(.put, "thing/", body: .file(file, type: "a/b"))).failure()

        #expect("\(try #require(error))".contains("a file of the body cannot be read: it has become shorter"))
        #expect(things.server.requests.isEmpty)
    }

    @Test("A form sends its files in the order of its parts, and hides its secrets", arguments: 0..<3)
    func multipart(transport: Int) async throws {
        let file = folder.url.appendingPathComponent("scan \"1\".png")
        try bytes.write(to: file)
        things.server.script.next {
            .json(["detail": .string(String(decoding: $0.body.prefix(300), as: UTF8.self))], status: 400)
        }
        let form = EndpointBody.multipart([
            .text("password", "kqzx 78"), .file("scan", at: file, type: "image/png"),
            .file("again", at: file, filename: "b", type: "image/png"), .text("note", "last"),
        ])
        let client = things.client(transport: Self.transports[transport]())

        let error = await client.value(of: Endpoint<Void>(.post, "thing/", body: form)).failure()

        let sent = try #require(things.server.requests.first)
        let contentType = try #require(sent.headers["Content-Type"])
        let boundary = try #require(contentType.components(separatedBy: "boundary=").last)
        func part(_ head: String) -> Data {
            Data("--\(boundary)\r\nContent-Disposition: form-data; \(head)\r\n\r\n".utf8)
        }
        let end = Data("\r\n".utf8)
        let type = "\r\nContent-Type: image/png"
        var expected = part("name=\"password\"") + Data("kqzx 78\r\n".utf8)
        expected += part("name=\"scan\"; filename=\"scan %221%22.png\"\(type)") + bytes + end
        expected += part("name=\"again\"; filename=\"b\"\(type)") + bytes + end
        expected += part("name=\"note\"") + Data("last\r\n--\(boundary)--\r\n".utf8)
        #expect(sent.body == expected)
        #expect((error as? ExchangeError)?.message == "…" && !"\(String(describing: error))".contains("kqzx"))
    }

    // MARK: Progress

    @Test("Progress only grows, ends with the sizes of both bodies, and precedes the result", arguments: Kind.allCases)
    func progress(kind: Kind) async throws {
        let file = folder.url.appendingPathComponent("body")
        try bytes.write(to: file)
        things.server.script.next(respond: ServerResponse(status: 200, body: bytes.prefix(150_000)))
        let seen = Recorder<TransferProgress>()
        var endpoint = Endpoint<Void>(.put, "thing/", body: .file(file, type: "a/b"))
        endpoint.timeout = 3600

        let client = things.client(transport: StandardTransport(kind))
        let all = try await client.send(endpoint) { seen.append($0) }.map(on: nil) { _ in seen.all }.value

        let last = TransferProgress(
            bytesSent: 200_000, bytesToSend: 200_000, bytesReceived: 150_000, bytesToReceive: 150_000)
        #expect(all.last == last)
        for (one, next) in zip(all, all.dropFirst()) {
            #expect(one.bytesSent <= next.bytesSent && one.bytesReceived <= next.bytesReceived)
        }
    }

    @Test("A call's own time limit replaces that of the client", arguments: Kind.allCases)
    func timeout(kind: Kind) async throws {
        things.server.script.next(respond: .silence)
        var endpoint = Endpoint<Void>(.get, "thing/")
        endpoint.timeout = 0.02

        let error = await things.client(transport: StandardTransport(kind)) { $0.retry = .never }.send(endpoint)
            .failure()

        #expect("\(String(describing: error))".contains("no reply within 0.02 s"))
    }
}
