import Foundation
import PledgeHTTP
import PledgeTestSupport
import Testing

@Suite("Redacting secrets")
struct SecretsTests {
    private func request(
        _ headers: HeaderFields = [:], _ query: String = "", form: String? = nil, json: String? = nil
    ) throws -> OutgoingRequest {
        var headers = headers
        if form != nil { headers["Content-Type"] = "application/x-www-form-urlencoded" }
        return OutgoingRequest(
            url: try #require(URL(string: "https://service.example/\(query)")), headers: headers,
            body: (form ?? json).map { Data($0.utf8) })
    }

    @Test("A URL is shown without user, password, query, and fragment", arguments: ["", "?code=s3cr3t", "#s3cr3t"])
    func address(end: String) throws {
        for user in ["", "s3cr3t@", "me:s3cr3t@"] {
            let url = try #require(URL(string: "https://\(user)service.example/api/greeting/\(end)"))
            #expect(url.redacted == "https://service.example/api/greeting/")
            #expect(url.asBase.absoluteString == "https://\(user)service.example/api/greeting/")
        }
    }

    @Test("A text with a credential is hidden completely, even if the credential is JSON-escaped or percent-encoded")
    func forms() throws {
        let characters = Array("abcdefghijklXYZ0123456789-._~+/= \t\n\"\\\u{8}\u{C}&%é…🚀")
        try Fuzzing.run(cases: 125) { seed, random in
            let length = Int.random(in: 0..<40, using: &random)
            let secret = "k" + (0..<length).compactMap { _ in characters.randomElement(using: &random) }
            let json = String(decoding: try JSONEncoder().encode(["password": secret]), as: UTF8.self)
            let secrets = Secrets(try request(json: json))
            var forms = [secret]
            for inner in [jsonEscaped, percentEncoded] {
                forms.append(inner(secret, &random))
                for outer in [jsonEscaped, percentEncoded] { forms.append(outer(inner(secret, &random), &random)) }
            }
            for form in forms { #expect(secrets.hide("You sent \(form), didn't you?") == "…", "seed \(seed): \(form)") }
            #expect(secrets.hide("You sent something else.") == "You sent something else.")
        }
    }

    /// Returns the text with randomly chosen escapes, all of which are valid in JSON.
    private func jsonEscaped(_ text: String, _ random: inout SeededGenerator) -> String {
        let short: [Unicode.Scalar: String] = [
            "\"": #"\""#, "\\": #"\\"#, "/": #"\/"#, "\u{8}": #"\b"#, "\u{C}": #"\f"#, "\n": #"\n"#, "\t": #"\t"#,
        ]
        return text.unicodeScalars.map { scalar in
            let mayStay = scalar.value >= 0x20 && scalar != "\"" && scalar != "\\"
            if mayStay, Bool.random(using: &random) { return String(scalar) }
            if let escape = short[scalar], Bool.random(using: &random) { return escape }
            let digits = Bool.random(using: &random) ? "%04x" : "%04X"
            return String(scalar).utf16.map { #"\u"# + String(format: digits, Int($0)) }.joined()
        }.joined()
    }

    /// Returns the text with randomly chosen escapes, all of which are valid in a URL.
    private func percentEncoded(_ text: String, _ random: inout SeededGenerator) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let mayStay = character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character))
            if mayStay, Bool.random(using: &random) { return String(character) }
            return String(format: Bool.random(using: &random) ? "%%%02x" : "%%%02X", Int(byte))
        }.joined()
    }

    @Test(
        "A text with a secret is hidden completely, even if the secret is short or deeply nested; other texts are shown"
    )
    func whole() throws {
        let spaced = ["You sent one two.", "You sent one+two.", "You sent one%20two."]
        let deep = String(repeating: #"{"a":["#, count: 200) + #"{"password" : "s3cr3t-0f-mine"}"#
        let rows: [(request: OutgoingRequest, hidden: [String], shown: [String])] = [
            (
                try request(["Authorization": "Bearer abc/def+12="]),
                [
                    "abc/def+12=", "twice abc/def+12=abc/def+12=!", "over two lines abc/\ndef+12=",
                    "with invisible characters a\u{200B}b\u{0}c/def\u{1B}+12=.",
                ],
                [
                    "abc/def+12 is another", "100% sure, 50%2, %zz, \\u00zz, \\", "",
                    "…é\u{1F9D1}\u{200D}\u{1F680}",
                ]
            ),
            // A text is hidden if it contains at least the first sixteen bytes of a secret.
            (
                try request(["Authorization": "Bearer abcdefghijklmnopqrstuvwxyz"]),
                ["Bad token abcdefghijklmnop.", "Bad token abcdefghabcdefghijklmnop"], ["Bad token abcdefghijklmno."]
            ),
            (try request(form: "password=mood"), ["The mood of the day is no password."], ["No such user."]),
            (try request(form: "code=e"), ["The account is closed."], []),
            (try request(form: "code=%C3%A9"), ["%C3%A9"], []),
            // A service may repeat a space as the plus sign of a form.
            (try request(form: "password=one+two"), spaced, []),
            (try request(json: #"{"password": "one two"}"#), spaced, []),
            // The JSON of this body is nested too deeply to be decoded.
            (
                try request(json: deep + String(repeating: "]}", count: 200)), ["no s3cr3t-0f-mine here"],
                ["no a here"]
            ),
        ]
        for row in rows {
            let secrets = Secrets(row.request)
            for text in row.hidden { #expect(secrets.hide(text) == "…", "\(text)") }
            for text in row.shown { #expect(secrets.hide(text) == text) }
        }
    }

    @Test("Only headers, query items, form fields, and JSON members with certain names are secrets")
    func sources() throws {
        let (kept, url) = ("s0meth1ng", URL(fileURLWithPath: "/"))
        // A multipart form. The secret is in its last part, which isn't followed by another one.
        let parts = ["note\"\r\n\r\na\r\n--b", "password\"\r\n\r\n\(kept)\r\n--b--\r\n"]
            .reduce("\r\nX-Part: 1\r\n\r\nz\r\n--b") { "\($0)\r\nContent-Disposition: form-data; name=\"\($1)" }
        let known: [OutgoingRequest] = [
            try request(["Authorization": "Bearer \(kept)"]), try request(["authorization": kept]),
            try request(["X-Api-Key": kept]), try request(["X-Auth-Token": kept]),
            try request(["Cookie": "sid=\(kept)"]), try request(["Cookie": "theme=dark; sid=\(kept)"]),
            try request(["Authorization": "Basic \(Data("ann:\(kept)".utf8).base64EncodedString())"]),
            OutgoingRequest(url: try #require(URL(string: "https://ann:\(kept)@service.example/"))),
            try request([:], "?%63ode=\(kept)"), try request([:], "?api_key=\(kept)"),
            try request([:], "?a=b&access%5Ftoken=\(kept)#c"),
            try request(form: "code=\(kept)"), try request(form: "a=b&client_secret=\(kept)&c=d"),
            try request(form: "refresh_token=\(kept)"), try request(form: "PASSWORD=\(kept)"),
            try request(json: #"{"a": [1, {"clientSecret": "\#(kept)"}]}"#),
            OutgoingRequest(
                url: url, headers: ["Content-Type": "multipart/form-data; boundary=b"], body: Data(parts.utf8)),
            try request(json: #"{"tokens": ["\#(kept)"]}"#), try request(json: #"{"secret": {"value": "\#(kept)"}}"#),
        ]
        let unknown: [OutgoingRequest] = [
            try request(["Accept": kept]), try request([:], "?name=\(kept)"), try request(form: "username=\(kept)"),
            try request(form: "status_code=\(kept)"), try request(json: #"{"name": "\#(kept)"}"#),
            try request(json: kept),
        ]

        let pin = Secrets(try request(json: #"{"pin": 48291734, "secret": true, "token": 9, "key": 10}"#))
        #expect(
            [pin.hide("9 is not 48291734"), pin.hide("Is it 10?"), pin.hide("9 is one")] == ["…", "…", "9 is one"])
        #expect("\(Authorizer.none) \(Authorizer.bearer(kept))" == "Authorizer.none Authorizer(Bearer)")
        for request in known { #expect(Secrets(request).hide("It was \(kept)") == "…", "\(request.headers)") }
        for request in unknown { #expect(Secrets(request).hide("It was \(kept)") == "It was \(kept)") }
    }

    @Test(
        "A text with a value for a well-known secret name is hidden; a text that only mentions the name is shown",
        arguments: [
            ("app://back?code=abc&state=s", false), ("#access_token=abc", false), ("code=abc;path=/", false),
            ("code = abc", false), (#"{"password": "a\"b", "user": "ann"}"#, false),
            (#"{\"token\":\"abc\",\"n\":1}"#, false), ("my 'secret' : 'abc'", false),
            ("password: This field is required.", true), ("status_code=404", true), ("token=", true),
            ("token=&a=b", true), ("a=b=c", true), ("=:=:", true), (#""token": "never closed"#, false),
            (#""token":"#, true), (#"token="a\"#, false),
        ])
    func names(text: String, isShown: Bool) { #expect(Secrets.none.hide(text) == (isShown ? text : "…")) }

    @Test(
        "Redaction takes time proportional to the length of the text, even for texts that nearly match a secret",
        arguments: [
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "a"), ("abababababababababababababababac", "ab"), ("abcdefgh", "="),
            ("abcdefgh", "token="), ("abcdefgh", #""token":""#), ("abcdefgh", "\\"), ("abcdefgh", "%25"),
            ("abcdefgh", " "), ("abcdefgh", "x"), ("abcdefgh", "abcdefgh"),
        ])
    func linear(secret: String, piece: String) throws {
        let secrets = Secrets(try request(["Authorization": "Bearer \(secret)"]))
        let text = String(repeating: piece, count: 40_000 / piece.utf8.count)
        // If redaction took quadratic time, this would be a billion steps, and the suite would seem to hang.
        #expect(secrets.hide(text).utf8.count <= text.utf8.count * 2)
    }
}
