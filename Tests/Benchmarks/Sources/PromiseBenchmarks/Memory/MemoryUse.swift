import CAllocations

/// What promises cost in memory, by contender; a figure is missing where it makes no sense.
struct MemoryUse: Encodable {
    var allocationsPerMap: [String: Double] = [:]
    var allocationsPerThen: [String: Double] = [:]
    /// Bytes of a pending promise, what it takes to settle it, and one handler.
    var bytesPerPromise: [String: Double] = [:]
    /// Bytes of one more map in a pending chain.
    var bytesPerHop: [String: Double] = [:]

    static var canBeMeasured: Bool { allocations_can_be_counted() }

    static func measured() -> MemoryUse {
        var use = MemoryUse()
        for contender in contenders {
            use.allocationsPerMap[contender.name] = allocations(.maps, by: contender)
            use.allocationsPerThen[contender.name] = allocations(.thenInside, by: contender)
            use.bytesPerPromise[contender.name] = bytes { contender.hold(count) }
            use.bytesPerHop[contender.name] = bytes { contender.holdChain(count) }
        }
        return use
    }

    private static let count = 100_000

    private static func allocations(_ workload: Workload, by contender: any Contender) -> Double {
        let work = workload.prepare(contender)
        precondition(work() == workload.checksum)
        let before = allocations_so_far()
        allocations_count(true)
        _ = work()
        allocations_count(false)
        let perHop = Double(allocations_so_far() - before) / Double(workload.size * workload.lanes)
        // What a run as a whole allocates is no hop's.
        return (perHop * 10).rounded() / 10
    }

    private static func bytes(of hold: () -> Held?) -> Double? {
        // Once in vain, so that what is made only once is there.
        guard let rehearsal = hold() else { return nil }
        rehearsal.settle()
        let before = allocations_bytes_in_use()
        guard let held = hold() else { return nil }
        let after = allocations_bytes_in_use()
        held.settle()
        return Double(after - before) / Double(count)
    }
}
