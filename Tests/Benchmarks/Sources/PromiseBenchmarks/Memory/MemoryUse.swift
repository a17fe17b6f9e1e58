import CAllocations

/// The memory that promises take, by contender. Contenders for which a figure makes no sense are left out.
struct MemoryUse: Encodable {
    var allocationsPerMap: [String: Double] = [:]
    var allocationsPerThen: [String: Double] = [:]
    /// The bytes of a pending promise, including its resolver and one handler.
    var bytesPerPromise: [String: Double] = [:]
    /// The bytes of an additional map in a pending chain.
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
        // Rounds away the few allocations that belong to the run as a whole and not to a hop.
        return (perHop * 10).rounded() / 10
    }

    private static func bytes(of hold: () -> Held?) -> Double? {
        // Runs once without measuring, so that objects that are created only once already exist.
        guard let rehearsal = hold() else { return nil }
        rehearsal.settle()
        let before = allocations_bytes_in_use()
        guard let held = hold() else { return nil }
        let after = allocations_bytes_in_use()
        held.settle()
        return Double(after - before) / Double(count)
    }
}
