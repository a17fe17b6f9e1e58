import Foundation
import PledgeHTTP
import PledgeTestSupport
import Testing

/// The outcome of every fault of a connection for a GET and for a POST, with each transport, and how often the service
/// received the request. The article "Transports" contains this table. The tests use transports without a client, so
/// nothing asks for a second attempt.
@Suite("Faults of a connection", .serialized)
struct TransportFaultTests {
    static let cases = TransportFault.all.flatMap { fault in
        StandardTransport.Kind.allCases.filter(fault.runs).map { (fault, $0) }
    }

    @Test(
        "Each fault of a connection has the outcome that the table lists, and no POST is sent twice", arguments: cases)
    func outcome(fault: TransportFault, kind: StandardTransport.Kind) async throws {
        for (method, body) in fault.requests {
            let (outcome, seen) = try await fault.outcome(over: kind, method, body)
            #if os(Linux)
                let came = "\(outcome), seen \(seen)"
                if came == fault.onNewerCurl { continue }
                #expect(came == fault.expected(kind, method), "\(method) \(body ?? "")")
            #else
                // The outcomes with Apple's URLSession were not measured, but it must not send a request twice.
                #expect(seen == 1, "\(outcome): \(fault.name) × \(method)")
            #endif
        }
    }

    @Test(
        "A refused connection and an unknown host name are reported as unreachable",
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

    @Test("The article “Transports” contains every row of the table of connection faults")
    func article() throws {
        let text = try Repository.text("Sources/PledgeHTTP/PledgeHTTP.docc/Transports.md")
        for fault in TransportFault.all { #expect(text.contains(fault.row), "missing: \(fault.row)") }
    }
}
