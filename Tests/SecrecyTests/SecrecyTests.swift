import Foundation
import PledgeTestSupport
import Testing

@Suite("Types that contain a secret", .serialized)
struct SecrecyTests {
    static let holders = Holder.http + Holder.curl + Holder.exist + Holder.myDataHelps

    @Test("No secret is shown by print, dump, a debugger, or a mirror", arguments: holders)
    func printing(holder: Holder) async throws {
        let (value, secrets) = try await holder.make()
        let text = printed(value)
        for secret in secrets {
            #expect(!secret.isEmpty)
            let line = text.split(separator: "\n").first { $0.contains(secret) }
            #expect(line == nil)
        }
    }

    @Test("If a secret weren't protected, these tests would find it in the output that they examine")
    func canary() {
        struct Careless { var token = Holder.secret }
        final class Kept { let inside: [Careless?] = [Careless()] }
        #expect(printed(Careless()).contains(Holder.secret) && printed(Kept()).contains(Holder.secret))
    }

    @Test("Every public type with a field that can hold a secret is in the list of holders")
    func complete() throws {
        let types = try PublicTypes(["PledgeHTTP", "ExistKit", "MyDataHelpsKit"])
        let known = Set(Self.holders.flatMap { $0.testDescription.components(separatedBy: ", ") })
        for (name, path) in types.holders {
            #expect(known.contains(name), "Can \(name) of \(path) hold a secret? Then add it to the holders.")
        }
        #expect(types.count > 50 && types.holders.count > 25)
    }
}
