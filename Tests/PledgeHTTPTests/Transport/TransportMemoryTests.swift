#if os(Linux)
    import Foundation
    import PledgeHTTP
    import PledgeSandbox
    import PledgeTestSupport
    import Testing

    /// In a process of its own, where nothing else takes memory; the service is in it, too, and counts.
    @Suite(
        "Whatever a service sends", .serialized,
        .disabled(if: SmallStack.isSanitized, "a sanitizer keeps what was let go"))
    struct TransportMemoryTests {
        static let limit = 128 << 20

        @Test("takes less than 128 MiB over libcurl")
        func curl() async {
            await #expect(processExitsWith: .success) { try await TransportMemoryTests.measure(.curl) }
        }

        @Test("takes less than 128 MiB over URLSession")
        func urlSession() async {
            await #expect(processExitsWith: .success) { try await TransportMemoryTests.measure(.urlSession) }
        }

        static func measure(_ kind: StandardTransport.Kind) async throws {
            for fault in TransportFault.all where fault.runs(over: kind) {
                if kind == .urlSession, fault.isUnlimitedOverURLSession { continue }
                // What is made only once is the test's.
                _ = fault.response()
                ResidentMemory.forgetPeak()
                let before = ResidentMemory.now
                _ = try await fault.come(over: kind, .get, nil)
                let growth = ResidentMemory.peak - before
                #expect(growth < limit, "\(growth >> 20) MiB: \(fault.name) over \(kind.rawValue)")
            }
        }
    }
#endif
