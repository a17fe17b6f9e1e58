import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand

@Suite("Lines of the accounts file", .serialized)
struct AccountLineTests {
    private func read(_ text: String, _ environment: [String: String] = [:]) throws -> AccountLine {
        try AccountLine(Array(text.utf8), environment: environment)
    }

    private func token(of line: AccountLine) async throws -> String {
        let client = MyDataHelpsClient()
        let source = line.token.makeTokens({ client }, client.baseURL, MyDataHelpsClient.defaultOptions)
        return try await source.tokens.token().value
    }

    @Test(
        "The error for an invalid line says what is wrong without quoting the line",
        arguments: [
            ("hush", "not a JSON object"), (#"["hush"]"#, "not a JSON object"),
            (#"{"service":"hush","account":"a","token":"hush"}"#, "“service”"),
            (#"{"service":"exist","account":17,"token":"hush"}"#, "“account”"),
            (#"{"service":"exist","account":"","token":"hush"}"#, "“account”"),
            (#"{"service":"exist","account":"a"}"#, "“token”"),
            (#"{"service":"exist","account":"a","token":{"env":"A","file":"hush"}}"#, "“token”"),
            (#"{"service":"exist","account":"a","token":{"vault":"hush"}}"#, "“token”"),
            (#"{"service":"exist","account":"a","token":{"command":"hush"}}"#, "“token”"),
            (#"{"service":"exist","account":"a","token":{"command":[]}}"#, "“command”"),
            (#"{"service":"exist","account":"a","token":{"command":["hu\u0000sh"]}}"#, "“command”"),
            (#"{"service":"exist","account":"a","token":{"serviceAccount":{"name":"hush"}}}"#, "“token”"),
            (#"{"service":"mydatahelps","account":"a","token":{"serviceAccount":{"name":"hush"}}}"#, "“serviceA"),
            (#"{"service":"mydatahelps","account":"a","kind":"simple","token":"hush"}"#, "“kind”"),
            (#"{"service":"exist","account":"a","kind":1,"token":"hush"}"#, "“kind”"),
            (#"{"service":"exist","account":"a","token":"hush","address":"http://hush.example/"}"#, "plain http"),
            (#"{"service":"exist","account":"a","token":"hush","address":"hush"}"#, "not a URL"),
            (#"{"service":"exist","account":"a","token":"hush","address":7}"#, "“address” is not a string"),
        ])
    func problems(text: String, words: String) {
        let error = thrown(BadLine.self) { try read(text) }
        #expect(error?.problem.contains(words) == true, "\(String(describing: error))")
        #expect(error.map { !"\($0)".contains("hush") } == true)
    }

    @Test("The JSON schema accepts exactly the lines that the tool accepts")
    func schema() throws {
        let schema = try JSONSchema("accounts")
        let account = #"{"name":"n","key":{"file":"k"},"project":"p","participant":"a"}"#
        let changes = [
            (#""p","#, #""p","scope":"api","#), ("project", "projekt"), ("file", "env"), ("file", "path"),
            (#"{"file""#, #"{"env":"K","file""#),
        ]
        let tokens =
            [
                #""t""#, #"{"env":"A"}"#, #"{"file":"/a"}"#, #"{"command":["a","b"]}"#,
                #"{"serviceAccount":\#(account)}"#, "null", "{}", "[]", #"{"env":1}"#, #"{"env":"A","file":"/a"}"#,
                #"{"file":"/a","mode":1}"#, #"{"command":[]}"#, #"{"command":["a"],"seconds":3}"#,
                #"{"command":["a",1]}"#, #"{"serviceAccount":{}}"#,
            ] + changes.map { #"{"serviceAccount":\#(account.replacingOccurrences(of: $0, with: $1))}"# }
        var accepted = 0
        for service in ["exist", "mydatahelps", "fitbit"] {
            for kind in ["", #""kind":"bearer","#, #""kind":"simple","#, #""kind":1,"#] {
                for token in tokens {
                    let text = #"{"service":"\#(service)","account":"a","cohort":7,\#(kind)"token":\#(token)}"#
                    let problems = schema.problems(of: try JSONSerialization.jsonObject(with: Data(text.utf8)))
                    let isRead = (try? read(text)) != nil
                    #expect(isRead == problems.isEmpty, "\(text): \(problems)")
                    if isRead { accepted += 1 }
                }
            }
        }
        #expect(accepted == 3 * 4 + 2 * 6)
    }

    @Test("A token comes from a line, a variable, a file, or a command; empty tokens and those over 16 KiB are errors")
    func places() async throws {
        let folder = try TemporaryFolder()
        let most = String(repeating: "t", count: 16_384)
        for (name, text) in [("file", "f\n"), ("blank", " \n"), ("most", most), ("long", most + "t")] {
            try folder.file(name, holding: text)
        }
        for (text, expected) in [
            (#""t""#, "t"), (#"{"env":"FULL"}"#, "e"), (#"{"file":"@file"}"#, "f"), (#""""#, nil),
            (#"{"env":"EMPTY"}"#, nil), (#"{"env":"MISSING"}"#, nil), (#"{"file":"@blank"}"#, nil),
            (#"{"file":"@none"}"#, nil), (#"{"file":"@long"}"#, nil), (#"{"file":"@most"}"#, most),
            (#"{"file":"/dev/zero"}"#, nil),
            (#"{"command":["printf","%016384d","0"]}"#, String(repeating: "0", count: 16_384)),
        ] as [(String, String?)] {
            let place = text.replacingOccurrences(of: "@", with: folder.url.path + "/")
            let line = #"{"token":\#(place),"cohort":[1],"account":"Åsa \"1\"","service":"exist"}"#
            let account = try read(line, ["EMPTY": "", "FULL": "e"])
            #expect(account.id == AccountID(service: .exist, account: "Åsa \"1\"") && account.kind == .bearer)
            var found: String?
            let error = await thrown(NoToken.self) { found = try await token(of: account) }
            #expect(found == expected && (error == nil) == (expected != nil), "\(text)")
            #expect(error?.problem.contains("ttt") != true)
        }
    }

    @Test("A fixed hash distributes accounts evenly over shards; a name over the maximum length is refused")
    func shards() throws {
        let longest = String(repeating: "é", count: AccountLine.longestName / 2)
        #expect(try read(#"{"service":"exist","account":"\#(longest)","token":"t"}"#).id.account == longest)
        #expect(throws: BadLine.self) { try read(#"{"service":"exist","account":"\#(longest)x","token":"t"}"#) }
        let ids = (0..<8_000).map { AccountID(service: $0 % 2 == 0 ? .exist : .mydatahelps, account: "user-\($0)") }
        for count in [2, 3, 8] {
            let parts = (0..<count).compactMap { Shard("\($0)/\(count)") }
            let sizes = parts.map { part in ids.count { part.contains($0) } }
            #expect(sizes.reduce(0, +) == ids.count)
            #expect(sizes.allSatisfy { abs($0 - ids.count / count) < ids.count / count / 8 }, "\(sizes)")
        }
        #expect(AccountID(service: .exist, account: "a").shardHash == 0xAED0_047D_0ADE_2AB2)
    }
}
