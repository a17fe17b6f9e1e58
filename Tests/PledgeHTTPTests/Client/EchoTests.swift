import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

/// Tests with a service that repeats a request's secrets in its response. The secrets consist of characters that no
/// message of this package contains, so a secret in a printed text must come from the request or the response.
@Suite("Secrets that a service repeats", .serialized)
final class EchoTests: ServerSuite {
    private static let transport = StandardTransport()

    /// The part of the response that repeats the secret.
    enum Place: String, CaseIterable, Sendable {
        case message, nested, plainText, field, header, redirectPath, redirectQuery, sameOriginRedirect, unreadable

        func response(_ echo: String, to request: ServerRequest) -> ServerResponse {
            let escaped = echo.addingPercentEncoding(withAllowedCharacters: .lowercaseLetters) ?? ""
            func redirect(_ address: String) -> ServerResponse { .empty(307, headers: ["Location": address]) }
            return switch self {
            case .message: .json(["detail": .string("You sent \(echo)")], status: 400)
            case .nested: .json(["errors": [["message": .string("No \(echo).")]]], status: 400)
            case .plainText: .text("You sent \(echo)", status: 400)
            case .field: .json(["thing": [.string(echo)]], status: 400)
            case .header: ServerResponse(status: 400, headers: ["X-Echo": "you sent \(echo)"], body: Data())
            case .redirectPath: redirect("https://elsewhere.example/\(escaped)/")
            case .redirectQuery: redirect("https://\(escaped)@elsewhere.example/?token=\(escaped)#\(escaped)")
            case .sameOriginRedirect: request.target.hasPrefix("/other") ? .empty(500) : redirect("/other/\(escaped)")
            case .unreadable: .json(.object([echo: 7]))
            }
        }
    }

    /// A request, and the secrets in it, which must not be printed.
    struct Sent: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var secrets: [String]
        var authorizer = Authorizer.none
        var endpoint = Endpoint<[String: Bool]>(.get, "thing/")
        var headers: HeaderFields = [:]

        static func token(_ token: String) -> Sent {
            Sent(testDescription: "token \(token)", secrets: [token], authorizer: .bearer(token))
        }

        static func form(_ name: String, _ secret: String) -> Sent {
            Sent(
                testDescription: "\(name) \(secret)", secrets: [secret],
                endpoint: Endpoint(.post, "thing/", body: .form(["grant_type": "password", name: secret])))
        }
    }

    static let everything: [Sent] =
        ["^", "^~", "^~kqzx7", "^~kqzx78", "^~kqzx78/with+signs=and%41"].map(Sent.token)
        + ["code", "client_secret", "refresh_token", "password", "client_assertion"].flatMap {
            [Sent.form($0, "^~kqzx 78+ü%41"), Sent.form($0, "^"), Sent.form($0, "^~k")]
        }
        + [
            Sent(
                testDescription: "query", secrets: ["^~kqzx 78&é"],
                endpoint: Endpoint(.get, "thing/", query: ["access_token": "^~kqzx 78&é"])),
            Sent(
                testDescription: "Basic", secrets: ["YW5uOl5+a3F6eDc4QDIyMj8=", "ann:^~kqzx78@222?", "^~kqzx78@222?"],
                authorizer: .scheme("Basic", "YW5uOl5+a3F6eDc4QDIyMj8=")),
            Sent(
                testDescription: "cookies", secrets: ["^~kqzx78", "^~kqzx55"],
                headers: ["Cookie": "a=^~kqzx78; b=^~kqzx55"]),
            Sent(testDescription: "a header of one's own", secrets: ["^~kqzx78"], headers: ["X-Api-Key": "^~kqzx78"]),
            Sent(
                testDescription: "JSON", secrets: ["^~kqzx/78\"ö"],
                endpoint: Endpoint(.post, "thing/", body: .json(Data(#"{"a": [{"password": "^~kqzx\/78\"ö"}]}"#.utf8)))),
        ]

    @Test(
        "If a service repeats a secret, no printed form of the error or of an event contains the secret",
        arguments: everything,
        Place.allCases)
    func echoes(sent: Sent, place: Place) async throws {
        let server = try server { _ in .empty(500) }
        for secret in sent.secrets {
            let escaped = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let spaced = secret.map(String.init).joined(separator: "\u{200B}")
            for echo in [secret, escaped, "\(secret)\(secret)", spaced] {
                // A header can only contain printable ASCII characters.
                if place == .header, !echo.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { continue }
                let printed = await printed(sent, to: server) { place.response(echo, to: $0) }
                for form in [secret, escaped, escaped.lowercased()] { #expect(!printed.contains(form)) }
            }
        }
    }

    /// Returns everything that can be printed about a failed call.
    private func printed(
        _ sent: Sent, to server: LoopbackServer, _ respond: @escaping @Sendable (ServerRequest) -> ServerResponse
    ) async -> String {
        server.script.reset()
        server.script.next(.max, respond: respond)
        let told = Locked("")
        var options = EndpointClient.Options()
        options.transport = Self.transport
        options.retry = .never
        options.timeout = 600
        options.headers = sent.headers
        options.observer = { event in
            told.withLock { text in
                text += "\(event) \(String(reflecting: event))\n"
                dump(event, to: &text)
            }
        }
        let client = EndpointClient(baseURL: server.baseURL, authorizer: sent.authorizer, options: options)

        let error = await client.send(sent.endpoint).failure()

        var text = "\(String(describing: error)) \(String(reflecting: error)) \(error?.localizedDescription ?? "")\n"
        dump(error, to: &text)
        guard let error = error as? ExchangeError else {
            Issue.record("not an error of the service, but \(text)")
            return text
        }
        dump(error.reason, to: &text)
        if let response = error.response {
            dump(response, to: &text)
            text += "\(response.url) \(response.headers.fields.map(\.value))"
            text += String(decoding: response.body, as: UTF8.self)
        }
        return text + told.withLock { $0 }
    }
}
