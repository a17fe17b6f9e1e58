import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("The address of a sandbox", .serialized)
struct SandboxReachTests {
    @Test("The sandbox can be reached only from this machine", .secondLoopback)
    func reach() async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }
        // A server that listens at all addresses would also listen at 127.0.0.2.
        let elsewhere = try url("http://127.0.0.2:\(try #require(sandbox.baseURL.port))/")
        let here = try await StandardTransport.shared.send(OutgoingRequest(url: sandbox.baseURL, timeout: 600)).value
        let error = await StandardTransport.shared.send(OutgoingRequest(url: elsewhere, timeout: 5)).failure()
        #expect(here.status == 404)
        #expect(error is TransportError)
        #expect(sandbox.server.requests.count == 1)
    }
}
