import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Lines of input", .serialized)
struct AccountLineTests {
    private func read(_ text: String, _ environment: [String: String] = [:]) throws -> AccountLine {
        try AccountLine(Array(text.utf8), number: 7, environment: environment)
    }

    @Test("A line names a service, an account, and a token; other members are ignored")
    func plain() throws {
        let line = try read(#"{"token":"t","cohort":[1],"account":"Åsa \"1\"","service":"exist"}"#)

        #expect(line.id == AccountID(service: .exist, account: "Åsa \"1\""))
        #expect(try line.token() == "t")
        #expect(!line.isSimpleToken)
    }

    @Test("Neither print nor dump shows the token")
    func secret() throws {
        let line = try read(#"{"service":"exist","account":"a","token":"hush"}"#)
        var text = "\(line) \(String(reflecting: line))"
        dump(line, to: &text)

        #expect(!text.contains("hush"))
    }

    @Test(
        "An error is explained in one clause, with the line's number and nothing from the line",
        arguments: [
            ("hush", "not a JSON object"), (#"["hush"]"#, "not a JSON object"),
            (#"{"service":"hush","account":"a","token":"hush"}"#, "“service”"),
            (#"{"service":"exist","account":17,"token":"hush"}"#, "“account”"),
            (#"{"service":"exist","account":"","token":"hush"}"#, "“account”"),
            (#"{"service":"exist","account":"a"}"#, "“token”"),
            (#"{"service":"exist","account":"a","token":{"env":"A","file":"hush"}}"#, "“token”"),
            (#"{"service":"exist","account":"a","token":{"vault":"hush"}}"#, "“token”"),
            (#"{"service":"mydatahelps","account":"a","kind":"simple","token":"hush"}"#, "“kind”"),
            (#"{"service":"exist","account":"a","kind":1,"token":"hush"}"#, "“kind”"),
        ])
    func problems(text: String, words: String) {
        let error = thrown(BadLine.self) { try read(text) }

        #expect(error?.number == 7 && error?.problem.contains(words) == true, "\(String(describing: error))")
        #expect(error.map { !"\($0)".contains("hush") } == true)
    }

    @Test("A token may be empty nowhere, and neither may what it is read from")
    func emptyToken() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("token", holding: " \n")
        for token in [#""""#, #"{"env":"EMPTY"}"#, #"{"env":"MISSING"}"#, #"{"file":"\#(file.path)"}"#] {
            let line = try read(#"{"service":"exist","account":"a","token":\#(token)}"#, ["EMPTY": ""])
            #expect(throws: NoToken.self, "\(token)") { try line.token() }
        }
    }

    @Test("The longest name is one with which results can still be resumed")
    func longName() throws {
        let longest = String(repeating: "é", count: AccountLine.longestName / 2)

        #expect(try read(#"{"service":"exist","account":"\#(longest)","token":"t"}"#).id.account == longest)
        #expect(throws: BadLine.self) { try read(#"{"service":"exist","account":"\#(longest)x","token":"t"}"#) }
    }

    @Test("Shards are even, and never change")
    func shards() {
        let ids = (0..<8_000).map { AccountID(service: $0 % 2 == 0 ? .exist : .mydatahelps, account: "user-\($0)") }
        for count in [2, 3, 8] {
            let parts = (0..<count).compactMap { Shard("\($0)/\(count)") }
            let sizes = parts.map { part in ids.count { part.contains($0) } }
            #expect(sizes.reduce(0, +) == ids.count)
            #expect(sizes.allSatisfy { abs($0 - ids.count / count) < ids.count / count / 8 }, "\(sizes)")
        }
        #expect(AccountID(service: .exist, account: "a").shardHash == 0xAED0_047D_0ADE_2AB2)
    }

    @Test("An account's sixteen-byte key is an FNV-1a hash, and distinguishes service and name")
    func keys() {
        let key = AccountID(service: .exist, account: "a").key

        #expect(key == AccountKey(high: 0x34C4_2C55_FC4F_F78D, low: 0x966C_9FDB_1028_4977))
        let all = (0..<20_000).flatMap { number in
            AccountID.Service.allCases.map { AccountID(service: $0, account: "\(number)").key }
        }
        #expect(Set(all).count == all.count)
    }
}
