import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Bodies in files", .serialized)
final class FileTransferTests: ThingSuite {
    typealias Kind = StandardTransport.Kind

    /// A transport that passes on only the public properties of a request, as a transport from outside the package
    /// does. Files are not among these properties, so they are not passed on.
    private struct Plain: HTTPTransport {
        let base = StandardTransport()

        func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
            base.send(
                OutgoingRequest(
                    method: request.method, url: request.url, headers: request.headers, body: request.body,
                    timeout: request.timeout, bodyLimit: request.bodyLimit))
        }
    }

    private static let transports: [@Sendable () -> any HTTPTransport] =
        Kind.allCases.map { kind in { @Sendable in StandardTransport(kind) } } + [{ Plain() }]

    private let folder: TemporaryFolder
    /// So many bytes that every transport sends or receives them in several pieces. All pieces differ, and the last one
    /// is a single byte.
    private let bytes = Data((0...3 << 16).map { UInt8(truncatingIfNeeded: $0 / 251 ^ $0) })

    override init() throws {
        folder = try TemporaryFolder()
        try super.init()
    }

    private func client(
        _ transport: Int, _ change: (inout EndpointClient.Options) -> Void = { _ in }
    ) -> EndpointClient { things.client(transport: Self.transports[transport](), change) }

    private func content(_ name: String) -> Data? { FileManager.default.contents(atPath: folder.path(name)) }

    /// Creates a file that contains `bytes`, which transports send in several pieces.
    private func file(_ name: String = "body") throws -> URL {
        try bytes.write(to: folder.url.appendingPathComponent(name))
        return folder.url.appendingPathComponent(name)
    }

    @Test("A download replaces an existing file, and only the file's owner can read the result", arguments: 0..<3)
    func download(transport: Int) async throws {
        let file = try folder.file("response", holding: "old")
        things.respond(ServerResponse(status: 200, headers: ["ETag": "7"], body: bytes), .empty(200))
        let client = client(transport)
        let response = try await client.download(Endpoint(.get, "thing/"), to: file, atMost: bytes.count).value
        #expect(things.server.requests.first?.headers["Accept"] == "*/*")
        #expect(response.body.isEmpty && response.file == file && response.headers["ETag"] == "7")
        #expect(try content("response") == bytes && folder.names == ["response"] && folder.mode("response") == 0o600)
        #expect("\(things.events.withLock { $0.map(\.description) })".contains("answered 200 with 196609 bytes"))
        _ = try await client.download(Endpoint(.get, "thing/"), to: file).value
        #expect(content("response") == Data())
    }

    @Test(
        "Only a complete response with status 200 replaces a download's file; otherwise the old file stays",
        arguments: 0..<3)
    func failedDownload(transport: Int) async throws {
        let file = try folder.file("response", holding: "old")
        let whole = ServerResponse(status: 200, body: bytes)
        let client = client(transport) { $0.retry = .never }
        func error(_ response: ServerResponse, atMost limit: Int = 1 << 20, to url: URL? = nil) async throws -> String {
            things.respond(response)
            let call = client.download(Endpoint(.get, "thing/"), to: url ?? file, atMost: limit)
            return "\(try #require(await call.failure()))"
        }

        #expect(try await error(.json(["detail": "There is none."], status: 404)).contains("“There is none”"))
        #expect(try await error(whole, atMost: 100_000).contains("larger than 100000 bytes"))
        #expect(try await error(whole.cut(after: 150_000)).contains("connection was lost"))
        #expect(try await error(.empty(302, headers: ["Location": "https://evil.example/"])).contains("redirects"))
        let nowhere = folder.url.appendingPathComponent("kqzx78/response")
        let unwritten = try await error(whole, to: nowhere)
        #expect(unwritten.contains("could not be written to the file") && !unwritten.contains("kqzx"))
        let elsewhere = URL(string: "https://example.com\(file.path)")
        for url in [folder.url, elsewhere] {
            #expect(try await error(whole, to: url).contains("could not be written to the file"))
        }

        for status in [201, 202, 203, 204, 205, 206, 207, 226] {
            let part = ServerResponse(
                status: status, headers: status == 206 ? ["Content-Range": "bytes 0-4/9"] : [:],
                body: status == 204 || status == 205 ? Data() : Data("piece".utf8))
            let words = try await error(part)
            #expect(
                words.contains("answered \(status)")
                    && words.contains("A file is replaced only by a complete response"))
            #expect(try folder.text("response") == "old" && folder.names == ["response"], "\(status)")
        }
        #expect(try await !error(.empty(300)).contains("A file"))
        var created = Endpoint<Void>(.get, "thing/")
        created.accepts = { $0.status == 201 }
        #expect(await !"\(client.send(created).failure() as Any)".contains("A file"))
    }

    @Test("After a retried download, the file contains only the last response", arguments: 0..<3)
    func retriedDownload(transport: Int) async throws {
        let file = folder.url.appendingPathComponent("response")
        let whole = ServerResponse(status: 200, body: bytes)
        things.respond(whole.cut(after: 150_000), .text("Wait.", status: 503), whole)
        _ = try await client(transport).download(Endpoint(.get, "thing/"), to: file).value
        #expect(try content("response") == bytes && folder.names == ["response"])
    }

    @Test("A canceled download leaves no file", arguments: Kind.allCases)
    func cancelledDownload(kind: Kind) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        things.respond(.steps([.send(Data(head.utf8) + bytes), .wait]))
        let file = folder.url.appendingPathComponent("response")
        let (received, seal) = Promise<Void>.pending()
        let client = things.client(transport: StandardTransport(kind))
        let size = bytes.count
        let call = client.download(Endpoint(.get, "thing/"), to: file) { progress in
            if progress.bytesReceived == size { seal.fulfill(()) }
        }
        try await received.value
        #expect(try folder.names.count == 1)
        call.cancel()
        #expect(await call.failure()?.isCancelled == true)
        await Wait.until { (try? folder.names) == [] }
    }

    @Test(
        "A file body is sent completely with PUT, POST, and PATCH and in a retry, even if the file is empty",
        arguments: 0..<3)
    func upload(transport: Int) async throws {
        let (file, empty) = (try file(), try folder.file("empty", holding: ""))
        things.respond(.empty(503))
        things.server.script.next(5, respond: .empty(204))
        let client = client(transport)
        let bodies: [(HTTPMethod, EndpointBody)] = [
            (.put, .file(file, type: "image/png")),
            // For this request, libcurl reuses the handle that has just sent a file.
            (.put, .data(Data("a".utf8), type: "b/c")), (.put, .file(empty, type: "a/b")),
            (.post, .file(file, type: "a/b")), (.patch, .file(file, type: "a/b")),
        ]
        for (method, body) in bodies { try await client.value(of: Endpoint<Void>(method, "thing/", body: body)).value }
        let sent = things.server.requests
        #expect(sent.map(\.method) == ["PUT", "PUT", "PUT", "PUT", "POST", "PATCH"])
        #expect(sent.map(\.body) == [bytes, bytes, Data("a".utf8), Data(), bytes, bytes])
        #expect(sent[1].headers["Content-Type"] == "image/png" && sent[1].headers["Content-Length"] == "\(bytes.count)")
        #expect(sent[1].headers["Transfer-Encoding"] == nil && sent[1].headers["Expect"] == nil)
    }

    @Test("If a body's file can't be read, nothing is sent, and the error doesn't contain the file's path")
    func unreadable() async throws {
        let missing = folder.url.appendingPathComponent("kqzx78")
        let client = things.client()
        for (url, problem) in [
            (missing, "No such file or directory"), (folder.url, "it is not a regular file"),
            (things.server.baseURL, "its URL is not a file URL"),
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
        "If a body's file becomes shorter before it is sent, the call fails and nothing is sent",
        .enabled(if: StandardTransport(.curl).kind == .curl, "URLSession looks at the size itself, and sends the rest")
    )
    func shrinking() async throws {
        let file = try file()
        let client = things.client(transport: StandardTransport(.curl)) {
            $0.adapt = { _ in try Data("short".utf8).write(to: file) }
        }
        let error = await client.value(of: Endpoint<Void>(.put, "thing/", body: .file(file, type: "a/b"))).failure()
        #expect("\(try #require(error))".contains("a file of the body cannot be read: it has become shorter"))
        #expect(things.server.requests.isEmpty)
    }

    @Test(
        "A multipart form sends its files and texts in order, and an error hides the form's secrets", arguments: 0..<3)
    func multipart(transport: Int) async throws {
        let file = try file("scan \"1\".png")
        things.server.script.next {
            .json(["detail": .string(String(decoding: $0.body.prefix(300), as: UTF8.self))], status: 400)
        }
        let form = EndpointBody.multipart([
            .text("password", "kqzx 78"), .file("scan", at: file, type: "image/png"),
            .file("again", at: file, filename: "b", type: "image/png"), .text("note", "last"),
        ])

        let error = await client(transport).value(of: Endpoint<Void>(.post, "thing/", body: form)).failure()

        let sent = try #require(things.server.requests.first)
        let contentType = try #require(sent.headers["Content-Type"])
        let boundary = try #require(contentType.components(separatedBy: "boundary=").last)
        func part(_ head: String) -> Data {
            Data("--\(boundary)\r\nContent-Disposition: form-data; \(head)\r\n\r\n".utf8)
        }
        let (end, type) = (Data("\r\n".utf8), "\r\nContent-Type: image/png")
        var expected = part("name=\"password\"") + Data("kqzx 78\r\n".utf8)
        expected += part("name=\"scan\"; filename=\"scan %221%22.png\"\(type)") + bytes + end
        expected += part("name=\"again\"; filename=\"b\"\(type)") + bytes + end
        expected += part("name=\"note\"") + Data("last\r\n--\(boundary)--\r\n".utf8)
        #expect(sent.body == expected)
        #expect((error as? ExchangeError)?.message == "…" && !"\(String(describing: error))".contains("kqzx"))
    }

    @Test(
        "Progress never decreases, and reaches the sizes of both bodies before the call's result is delivered",
        arguments: Kind.allCases, [true, false])
    func progress(kind: Kind, isFile: Bool) async throws {
        things.respond(ServerResponse(status: 200, body: bytes.prefix(150_000)))
        let seen = Recorder<TransferProgress>()
        let body: EndpointBody = isFile ? .file(try file(), type: "a/b") : .data(Data(bytes), type: "a/b")
        var endpoint = Endpoint<Void>(.put, "thing/", body: body)
        endpoint.timeout = 3600
        let client = things.client(transport: StandardTransport(kind))
        let all = try await client.send(endpoint) { seen.append($0) }.map(on: nil) { _ in seen.all }.value
        let last = TransferProgress(
            bytesSent: bytes.count, bytesToSend: bytes.count, bytesReceived: 150_000, bytesToReceive: 150_000)
        #expect(all.last == last)
        for (one, next) in zip(all, all.dropFirst()) {
            #expect(one.bytesSent <= next.bytesSent && one.bytesReceived <= next.bytesReceived)
        }
    }
}
