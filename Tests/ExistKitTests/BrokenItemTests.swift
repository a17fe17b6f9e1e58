import ExistKit
import Foundation
import PledgeHTTP
import Testing

@Suite("Broken responses", .serialized)
struct BrokenItemTests {
    @Test("A truncated response never decodes, wherever it was cut off")
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
}
