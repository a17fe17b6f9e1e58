import Foundation
import Testing

@testable import PledgeCoding

@Suite("Snake case")
struct SnakeCaseTests {
    private func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try TapeDecoder.decode(type, from: JSONTape(Data(json.utf8), style: .snakeCase))
    }

    @Test(
        "A member's name gets an underscore before each word; an acronym counts as one word, also in the plural",
        arguments: [
            ("attachmentID", "attachment_id"), ("userId", "user_id"), ("htmlURL", "html_url"),
            ("HTMLPage", "html_page"), ("ownerIDs", "owner_ids"), ("IDsOf", "ids_of"), ("aURLSet", "a_url_set"),
            ("urlIDStep", "url_id_step"),
            ("URLzoneABa", "ur_lzone_a_ba"), ("aZ", "a_z"), ("addressLine1", "address_line1"), ("line1A", "line1_a"),
            ("_id", "_id"), ("_Id", "_id"), ("a_Bc", "a_bc"), ("plain", "plain"), ("éA", "é_a"),
        ])
    func names(member: String, name: String) { #expect(SnakeCase.name(of: member) == name) }

    @Test(
        "A snake case name of several words can stand for two members, with and without capital acronyms",
        arguments: [
            ("image_url", ["imageUrl", "imageURL"]), ("json_of_uuid", ["jsonOfUuid", "jsonOfUUID"]),
            ("__my_image", ["__myImage", "__myImage"]), ("a__b_", ["aB", "aB"]), ("url", []), ("_url", []), ("", []),
        ])
    func members(name: String, members: [String]) { #expect(SnakeCase.members(named: name) == members) }

    @Test(
        "Names are compared without regard to capitals and to underscores after the first letter",
        arguments: [("us_ER", "user"), ("__aZ_", "__az"), ("line_1", "line1"), ("", "")])
    func folded(name: String, folded: String) { #expect(SnakeCase.folded(name) == folded) }

    private struct Names: Decodable, Equatable {
        struct Part: Decodable, Equatable {
            var partUUID: String
        }

        var attachmentID: Int
        var userId: Int
        var htmlURL: String
        var ownerIDs: [Int]
        var addressLine1: String
        var _id: Int
        var part: Part
        var counts: [String: Int]
        var missing: Int?
    }

    @Test("Members are found case-insensitively; the first of several wins")
    func found() throws {
        let json = """
            "attachment_id": 1, "attachment_id": 9, "user_id": 2, "html_url": "h", "owner_ids": [3],
            "address_line_1": "a", "address_Line_1": "b", "_id": 4, "part": {"part_uuid": "u"},
            "counts": {"first_count": 5}
            """
        let names = Names(
            attachmentID: 1, userId: 2, htmlURL: "h", ownerIDs: [3], addressLine1: "a", _id: 4,
            part: Names.Part(partUUID: "u"), counts: ["first_count": 5])
        let many = (0..<40).map { "\"other_\($0)\": 0, " }.joined()
        for text in ["{\(json)}", "{\(many)\(json)}"] { #expect(try read(Names.self, text) == names) }
    }

    @Test("An exactly spelled name is preferred, then a snake case name, then one with other capitals or underscores")
    func preference() throws {
        struct Pair: Decodable, Equatable {
            var userID: Int
            var user: Int?
        }
        #expect(try read(Pair.self, #"{"userId": 1, "user_id": 2, "userID": 3}"#) == Pair(userID: 3))
        #expect(try read(Pair.self, #"{"userId": 1, "user_id": 2, "_user": 4}"#) == Pair(userID: 2))
        #expect(try read(Pair.self, #"{"userId": 1, "us_er": 4}"#) == Pair(userID: 1, user: 4))
    }

    @Test("An enum case with associated values is found by its snake case name")
    func payloads() throws {
        enum Block: Decodable, Equatable {
            case imageURL(htmlText: String)
        }
        #expect(try read(Block.self, #"{"image_url": {"html_text": "x"}}"#) == .imageURL(htmlText: "x"))
    }
}
