import Foundation
import PledgeHTTP
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

    @Test(
        "A secret is removed in whatever form it is written, and the rest of the text stays",
        arguments: [
            ("You sent abc/def+12=.", "You sent …."), ("abc/def+12=", "…"),
            ("twice abc/def+12=abc/def+12=!", "twice …!"),
            ("in an address: ?x=abc%2Fdef%2B12%3D", "in an address: ?x=…"),
            ("in lower case abc%2fdef%2b12%3d", "in lower case …"), ("half escaped a%62c/def%2B12=", "half escaped …"),
            ("escaped twice abc%252Fdef%252B12%253D.", "escaped twice …."),
            (#"in JSON "abc\/def+12=", "\u0061bc/def+12=""#, #"in JSON "…", "…""#),
            ("with unseen a\u{200B}b\u{0}c/def\u{1B}+12=.", "with unseen …."),
            ("as a host: https://ABC/DEF+12=/", "as a host: https://…/"),
            ("abc/def+12 is another", "abc/def+12 is another"),
            ("four times abc%2525252Fdef+12=abc%25252Fdef+12=", "four times …"),
            ("in HTML abc&#47;def&#x2B;12&#61;, a &amp; b", "in HTML …, a &amp; b"),
            ("in Base64 YWJjL2RlZisxMj0, YWJjL2RlZisxMj0=", "in Base64 …, …"),
            ("100% sure, 50%2", "100% sure, 50%2"), ("", ""),
            ("…é\u{1F9D1}\u{200D}\u{1F680}", "…é\u{1F9D1}\u{200D}\u{1F680}"),
        ])
    func forms(text: String, shown: String) throws {
        #expect(Secrets(try request(["Authorization": "Bearer abc/def+12="])).hide(text) == shown)
    }

    @Test("A text with a secret of fewer than eight bytes is left out as a whole, since the gap would reveal it")
    func short() throws {
        let secrets = Secrets(try request(form: "password=mood"))

        #expect(secrets.hide("The mood of the day is no password.") == "…")
        #expect(secrets.hide("No such user.") == "No such user.")
        #expect(Secrets(try request(form: "code=e")).hide("The account is closed.") == "…")
        #expect(Secrets(try request(form: "code=%C3%A9")).hide("%C3%A9") == "…")
    }

    @Test("The beginning of a secret is removed as well, from sixteen bytes on")
    func beginnings() throws {
        let secrets = Secrets(try request(["Authorization": "Bearer abcdefghijklmnopqrstuvwxyz"]))

        #expect(secrets.hide("Bad token abcdefghijklmnop.") == "Bad token ….")
        #expect(secrets.hide("Bad token abcdefghijklmnopqrst") == "Bad token …")
        #expect(secrets.hide("Bad token abcdefghabcdefghijklmnop") == "Bad token abcdefgh…")
        #expect(secrets.hide("Bad token abcdefghijklmno.") == "Bad token abcdefghijklmno.")
    }

    @Test("Overlapping secrets are removed together")
    func overlaps() throws {
        let secrets = Secrets(try request(["Cookie": "a=abababab; b=babababa"], "?access_token=ababababX"))

        #expect(secrets.hide("xabababababXy") == "x…y")
        #expect(secrets.hide("abababab babababa") == "… …")
    }

    @Test("The client ID and secret of a form are also removed in their Basic encoding")
    func basic() throws {
        let secrets = Secrets(try request(form: "client_id=my+app&client_secret=s0meth1ng%21&grant_type=x"))

        #expect(secrets.hide("Basic \(Data("my app:s0meth1ng!".utf8).base64EncodedString())") == "Basic …")
    }

    @Test("Only headers, query items, form fields, and JSON members with certain names are secrets")
    func sources() throws {
        let kept = "s0meth1ng"
        let known: [OutgoingRequest] = [
            try request(["Authorization": "Bearer \(kept)"]), try request(["authorization": kept]),
            try request(["X-Api-Key": kept]), try request(["X-Auth-Token": kept]),
            try request(["Cookie": "sid=\(kept)"]),
            try request(["Authorization": "Basic \(Data("ann:\(kept)".utf8).base64EncodedString())"]),
            try request([:], "?api_key=\(kept)"), try request([:], "?a=b&access%5Ftoken=\(kept)#c"),
            try request(form: "code=\(kept)"), try request(form: "a=b&client_secret=\(kept)&c=d"),
            try request(form: "refresh_token=\(kept)"), try request(form: "PASSWORD=\(kept)"),
            try request(json: #"{"a": [1, {"clientSecret": "\#(kept)"}]}"#),
            try request(json: #"{"tokens": ["\#(kept)"]}"#),
        ]
        let unknown: [OutgoingRequest] = [
            try request(["Accept": kept]), try request([:], "?name=\(kept)"), try request(form: "username=\(kept)"),
            try request(form: "status_code=\(kept)"), try request(json: #"{"name": "\#(kept)"}"#),
            try request(json: kept),
        ]

        let pin = Secrets(try request(json: #"{"pin": 48291734, "secret": true, "token": 1}"#))
        #expect(pin.hide("1 is not 48291734") == "1 is not …")
        for request in known { #expect(Secrets(request).hide("It was \(kept)") == "It was …", "\(request.headers)") }
        for request in unknown { #expect(Secrets(request).hide("It was \(kept)") == "It was \(kept)") }
    }

    @Test(
        "The values of well-known names are removed, whatever their origin, but not text about them",
        arguments: [
            ("app://back?code=abc&state=s", "app://back?code=…&state=s"), ("#access_token=abc", "#access_token=…"),
            ("code=abc;path=/", "code=…;path=/"),
            (#"{"password": "a\"b", "user": "ann"}"#, #"{"password": "…", "user": "ann"}"#),
            (#"{\"token\":\"abc\",\"n\":1}"#, #"{\"token\":\"…\",\"n\":1}"#), ("'secret' : 'abc'", "'secret' : '…'"),
            ("password: This field is required.", "password: This field is required."),
            ("status_code=404", "status_code=404"), ("token=", "token=…"), ("a=b=c", "a=b=c"), ("=:=:", "=:=:"),
            (#""token": "never closed"#, #""token": "…"#), (#""token":"#, #""token":…"#), (#"token="a\"#, #"token="…"#),
        ])
    func names(text: String, shown: String) {
        #expect(Secrets.none.hide(text) == shown)
    }

    @Test(
        "Redaction takes time proportional to the length of the text, whatever its content",
        arguments: [
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "a"), ("abababababababababababababababac", "ab"), ("abcdefgh", "="),
            ("abcdefgh", "token="), ("abcdefgh", #""token":""#), ("abcdefgh", "\\"), ("abcdefgh", "%25"),
            ("abcdefgh", " "), ("abcdefgh", "x"), ("abcdefgh", "abcdefgh"),
        ])
    func linear(secret: String, piece: String) throws {
        let secrets = Secrets(try request(["Authorization": "Bearer \(secret)"]))
        let text = String(repeating: piece, count: 100_000 / piece.utf8.count)

        // In quadratic time this would take ten billion steps, and the suite would seem to hang.
        #expect(secrets.hide(text).utf8.count <= text.utf8.count * 2)
    }
}
