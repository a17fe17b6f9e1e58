import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import Testing

/// What comes of every fault of the line, for a GET and for a POST, over each transport, and how often the service saw
/// the request: the table in the article "Transports" is this one. Nothing here asks for a second attempt.
@Suite("Faults of the line", .serialized)
struct TransportFaultTests {
    @Test(
        "Each comes to what the table says, and no request is sent twice", arguments: TransportFault.all,
        StandardTransport.Kind.allCases)
    func outcome(fault: TransportFault, kind: StandardTransport.Kind) async throws {
        guard fault.runs(over: kind) else { return }
        for (method, body) in fault.requests {
            let (outcome, seen) = try await fault.come(over: kind, method, body)
            #if os(Linux)
                #expect("\(outcome), seen \(seen)" == fault.expected(kind, method), "\(method) \(body ?? "")")
            #else
                // What Apple's URLSession makes of it was not measured, but that it sends nothing twice can be asked.
                #expect(seen == 1, "\(outcome): \(fault.name) × \(method)")
            #endif
        }
    }

    @Test(
        "A service that refuses, or a name that is not known, cannot be reached",
        arguments: StandardTransport.Kind.allCases)
    func unreachable(kind: StandardTransport.Kind) async throws {
        for text in ["http://127.0.0.1:1/", "http://nobody.invalid/"] {
            let address = try #require(URL(string: text))
            for method in [HTTPMethod.get, .post] {
                let request = OutgoingRequest(method: method, url: address)
                let result = await StandardTransport(kind).send(request).settled().value
                #expect(
                    TransportFault.word(for: result) == "unreachable", "\(address) × \(method) over \(kind.rawValue)")
            }
        }
    }

    @Test("The article shows this table")
    func article() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/PledgeHTTP/PledgeHTTP.docc/Transports.md")
        let text = try String(contentsOf: file, encoding: .utf8)

        for fault in TransportFault.all { #expect(text.contains(fault.row), "missing: \(fault.row)") }
    }
}
