import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("The platform's transport", .serialized)
final class StandardTransportTests: ServerSuite {
    private struct TooOld: Error, CustomStringConvertible {
        let description = "libcurl is version 7.50, and 7.80 or later is required"
    }

    @Test(
        "A standard transport has the requested kind; without a recent libcurl, it uses URLSession and logs that once"
    )
    func fallback() async throws {
        let server = try server { _ in .text("there") }
        let log = LogCapture.shared
        let transports = (0..<3).map { _ in StandardTransport(.curl, requestsInFlight: 1) { throw TooOld() } }
        #if os(Linux)
            for kind in StandardTransport.Kind.allCases { #expect(StandardTransport(kind).kind == kind) }
            let kinds = ["curl", "urlsession", "other", nil].map(StandardTransport.Kind.named)
            #expect(kinds == [.curl, .urlSession, .curl, .curl])
        #endif
        _ = StandardTransport(.urlSession, trustedCertificates: URL(fileURLWithPath: "/a"))
        #expect(log.lines(containing: "the system's certificates, not those of /a.").count == 1)
        #expect(transports.allSatisfy { $0.kind == .urlSession })
        let (never, end) = Promise<Void>.pending()
        for transport in [StandardTransport(.urlSession).base as? URLSessionTransport, URLSessionTransport()] {
            let begun = Counter()
            let all = (1...9).map { _ in
                transport?.semaphore.enter {
                    begun.increment()
                    return never
                }
            }
            #expect(all.count == 9 && begun.value == 8)
        }
        end.fulfill(())
        #expect(try await transports[2].send(OutgoingRequest(url: server.baseURL, timeout: 600)).value.status == 200)
        #expect(log.lines(containing: "libcurl") == ["Requests go over URLSession, not over libcurl: \(TooOld())."])
    }
}
