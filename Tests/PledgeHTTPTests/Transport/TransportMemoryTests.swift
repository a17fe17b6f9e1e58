#if os(Linux) && compiler(>=6.2)
    import Foundation
    import PledgeHTTP
    import PledgeSandbox
    import PledgeTestSupport
    import Testing

    /// Each test has its own process, in which nothing else uses memory except the service, which counts as well.
    @Suite(
        "Memory for hostile responses", .serialized,
        .disabled(if: SmallStack.isSanitized, "a sanitizer keeps what was let go"))
    struct TransportMemoryTests {
        /// The maximum size of a response's body; before a release, that of a request that specifies none.
        static let bodyLimit = Rounds.isLong ? OutgoingRequest(url: URL(fileURLWithPath: "/")).bodyLimit : 8 << 20
        static let limit = bodyLimit + (64 << 20)

        @Test("libcurl uses less than 64 MiB beside the largest body that is allowed, whatever a service sends")
        func curl() async {
            await #expect(processExitsWith: .success) { try await TransportMemoryTests.measure(.curl) }
        }

        @Test("URLSession uses less than 64 MiB beside the largest body, except for the faults marked as unlimited")
        func urlSession() async {
            await #expect(processExitsWith: .success) { try await TransportMemoryTests.measure(.urlSession) }
        }

        static func measure(_ kind: StandardTransport.Kind) async throws {
            for fault in TransportFault.all where fault.runs(over: kind) {
                if kind == .urlSession, fault.isUnlimitedOverURLSession { continue }
                // A response that is created once and kept belongs to the test.
                _ = fault.response()
                ResidentMemory.forgetPeak()
                let before = ResidentMemory.now
                _ = try await fault.come(over: kind, .get, nil, bodyLimit: bodyLimit)
                let growth = ResidentMemory.peak - before
                #expect(growth < limit, "\(growth >> 20) MiB: \(fault.name) over \(kind.rawValue)")
            }
        }
    }
#endif
