import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("The response type of an endpoint", .serialized)
final class ContentTests: ThingSuite {
    private func value<Response>(_ response: ServerResponse, of endpoint: Endpoint<Response>) async throws -> Response {
        things.respond(response)
        return try await things.client { $0.json = .snakeCase }.value(of: endpoint).value
    }

    @Test("Endpoints of Data and String return the body unchanged, and their requests aren't repeated")
    func asItIs() async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        #expect(try await value(ServerResponse(status: 200, body: bytes), of: Endpoint<Data>(.get, "a")) == bytes)
        #expect(try await value(.empty(200), of: Endpoint<Data>(.get, "a")) == Data())
        for text in ["a,b\n1,2\n", "\"quoted\"", "<html>", "", "é"] {
            #expect(try await value(.text(text), of: Endpoint<String>(.get, "a")) == text)
            #expect(try await value(.text(text), of: Endpoint<String?>(.get, "a")) == (text.isEmpty ? nil : text))
        }
        #expect(things.server.requests.allSatisfy { $0.headers["Accept"] == "*/*" })
        #expect(things.server.requests.count == 12)
        let own = Endpoint<Data>(.get, "a", headers: ["Accept": "image/png"])
        _ = try await value(.text(""), of: own)
        #expect(things.server.requests.last?.headers["Accept"] == "image/png")
    }

    @Test("A String endpoint fails for text that isn't UTF-8; the request isn't repeated, and the error suggests Data")
    func otherEncoding() async throws {
        things.respond(ServerResponse(status: 200, body: Data([0x63, 0xE9])))
        let error = await things.client().send(Endpoint<String>(.get, "a")).failure()
        #expect("\(error as Any)".contains("it is not UTF-8; declare Data for its bytes"))
        #expect(things.server.requests.count == 1)
    }

    @Test(
        "An endpoint with an optional type returns nil for a 204, an empty body, and null, and decodes everything else")
    func optional() async throws {
        let endpoint = Endpoint<ThingServer.Thing?>(.put, "a")
        for empty in [.empty(204), .empty(205), .empty(200), .text(" \r\n"), .text("null")] as [ServerResponse] {
            #expect(try await value(empty, of: endpoint) == nil)
        }
        #expect(try await value(.json(["ok": true]), of: endpoint)?.ok == true)
        #expect(try await value(.empty(204), of: Endpoint<Data?>(.get, "a")) == nil)
        #expect(things.server.requests.count == 7)
        things.respond(.json(["no": true]))
        let error = await things.client().send(endpoint).failure() as? ExchangeError
        #expect(error?.kind == .unreadable)
    }

    private struct Envelope: Decodable {
        var innerThing: ThingServer.Thing
    }

    @Test("An endpoint's decoding closure receives the client's JSON coding")
    func coding() async throws {
        let endpoint = Endpoint(.get, "a") { response, json in
            try response.json(Envelope.self, by: json).innerThing
        }
        #expect(try await value(.json(["inner_thing": ["ok": true]]), of: endpoint).ok)
    }

    private struct Odd: Decodable, Sendable {
        init(from decoder: any Decoder) throws {
            if try decoder.singleValueContainer().decode(Int.self).isMultiple(of: 2) {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "even numbers are taken."))
            }
        }
    }

    private struct Numbers: Decodable, Sendable {
        enum CodingKeys: CodingKey { case first }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard try container.decode(Int.self, forKey: .first) == 1 else {
                throw DecodingError.dataCorruptedError(
                    forKey: .first, in: container, debugDescription: "It is not the first.")
            }
        }
    }

    @Test("An error that a type's own decoding throws keeps its text and coding path, and the request isn't repeated")
    func ownWords() async throws {
        for json in [JSONCoding.plain, .snakeCase, JSONCoding(decoder: { JSONDecoder() })] {
            let client = things.client { $0.json = json }
            things.respond(.text("4"), .text(#"{"first": 7}"#))
            let odd = try #require(await client.send(Endpoint<Odd>(.get, "a")).failure())
            #expect("\(odd)".contains("the response's top level is unexpected: even numbers are taken. Check"))
            let numbers = try #require(await client.send(Endpoint<Numbers>(.get, "a")).failure())
            #expect("\(numbers)".contains("the response's first is unexpected: It is not the first. Check"))
        }
        #expect(things.server.requests.count == 6)
    }
}
