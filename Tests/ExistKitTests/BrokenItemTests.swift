import ExistKit
import Foundation
import PledgeHTTP
import Testing

@Suite("Replies that are broken", .serialized)
struct BrokenItemTests {
    @Test("Half a reply is never taken for a whole one, wherever it was cut off")
    func halves() throws {
        for file in try FileManager.default.contentsOfDirectory(at: fixtures, includingPropertiesForKeys: nil) {
            let whole = Array(try sample(file.deletingPathExtension().lastPathComponent).utf8)
            let length = (whole.lastIndex { $0 != UInt8(ascii: "\n") } ?? 0) + 1
            let read = { (count: Int) -> Bool in
                let reply = HTTPReply(url: ExistAPI.serviceURL, status: 200, body: Data(whole[..<count]))
                return (try? reply.json(JSONValue.self)) != nil
            }
            #expect(
                read(length) && !stride(from: 0, to: length, by: 7).contains(where: read), "\(file.lastPathComponent)")
        }
    }

    @Test("The values of an attribute, of which a broken one keeps its day, and the services that could own it")
    func inner() throws {
        let attribute: Attribute = try decode(
            """
            {"name": "a", "value_type": 0, "available_services": [{"name": "x"}],
             "values": [7, {"date": "2024-03-02", "value": {}}, {"value": 5}, {"date": "2024-03-01", "value": 5}]}
            """)

        #expect(attribute.values.map(\.day.description) == ["2024-03-02", "2024-03-01"])
        #expect(attribute.values.map(\.value) == [nil, .integer(5)])
        #expect(attribute.unreadableValues.map(\.index) == [0, 1, 2])
        #expect(attribute.availableServices == [AttributeService(name: "x")])
    }
}
