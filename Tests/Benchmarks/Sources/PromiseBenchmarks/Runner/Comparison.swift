import Foundation

/// All measurements of a run.
struct Comparison: Encodable {
    var measurements: [Measurement] = []
    var memory: MemoryUse?
    /// The milliseconds that a chain on its own queue takes while a slow handler blocks the default queue.
    var besideSlowHandler: Double?
    /// The time that handlers take if each of them looks up its queue, as a multiple of the time with a stored queue.
    var sendingAnew: Double?
    /// The instructions of a unit of work, with promises and with Swift's own concurrency.
    var instructions: [Instructions] = []
    /// The rows for an awaited promise and an awaited task. They show the time for waking threads, which counts of
    /// instructions don't include.
    var awaited: [[String]] = []
    /// The CPU time per promise or job if there are a million of them, as a multiple of the CPU time per promise or job
    /// if there are ten thousand.
    var scales: [Scale: Double] = [:]

    var gates: [Gate] {
        let independence = besideSlowHandler.map {
            Gate(title: "a chain on its own queue beside a slow handler, milliseconds", figure: $0, limit: 1)
        }
        let sending = sendingAnew.map {
            Gate(title: "40,000 handlers on .global(), as a multiple of a stored queue", figure: $0, limit: 2)
        }
        let scale = scales.map {
            Gate(title: "a million \($0.rawValue), of 10,000, CPU each", figure: $1, limit: $0.limit)
        }
        return measurements.flatMap(\.gates) + (memory?.gates ?? []) + [independence, sending].compactMap { $0 }
            + instructions.compactMap(\.gate) + scale
    }

    init(_ options: Options) {
        for workload in Workload.allCases where options.includes(workload.rawValue) {
            progress("measuring \(workload.rawValue)")
            measurements.append(Self.measured(workload, options))
        }
        if options.includes("independence") {
            progress("measuring independence")
            besideSlowHandler = Independence.milliseconds()
        }
        if options.includes("sending") {
            progress("measuring sending")
            sendingAnew = Sending.ratio()
        }
        for scale in Scale.allCases where options.includes("scale") {
            progress("measuring \(scale.rawValue)")
            scales[scale] = scale.ratio()
        }
        if options.includes("beside") {
            progress("measuring awaited")
            awaited = [("an awaited promise", true), ("an awaited task", false)].map { name, withPromises in
                let (cpu, wall) = Beside.awaited.microseconds(withPromises: withPromises)
                return [name, cpu.rounded(to: 1), wall.rounded(to: 1)]
            }
        }
        for work in Beside.allCases where options.includes("beside") {
            progress("counting the instructions of \(work.rawValue)")
            let counted = Instructions(work)
            if counted == nil { progress("valgrind or strip is missing") }
            instructions += [counted].compactMap { $0 }
        }
        if MemoryUse.canBeMeasured, options.includes("memory") {
            progress("measuring memory")
            memory = MemoryUse.measured()
        }
    }

    /// Measures a workload. If a gate fails, measures up to twice more, because on a busy machine, a gate may fail by
    /// chance, but hardly three times in a row.
    private static func measured(_ workload: Workload, _ options: Options) -> Measurement {
        var measurement = measure(workload, rounds: options.rounds)
        var attempts = 1
        while options.checks, attempts < 3, measurement.gates.contains(where: { !$0.holds }) {
            progress("measuring \(workload.rawValue) again")
            measurement = measure(workload, rounds: options.rounds)
            attempts += 1
        }
        return measurement
    }

    var tables: [Table] {
        var tables: [Table] = []
        if !measurements.isEmpty {
            var toPledge = Table("Time, Pledge = 1", heading: "workload")
            var toPlain = Table("Time, one plain `queue.async` per hop = 1", heading: "workload")
            for measurement in measurements {
                toPledge.append(measurement.workload.title) { measurement.ratio($0, to: pledge) }
                toPlain.append(measurement.workload.title) { measurement.ratio($0, to: plain) }
            }
            tables += [toPledge, toPlain]
        }
        if let memory {
            var table = Table("Memory", heading: "figure")
            table.append("allocations a map") { memory.allocationsPerMap[$0.name] }
            table.append("allocations a `then`, resolved inside") { memory.allocationsPerThen[$0.name] }
            table.append("bytes a pending map") { memory.bytesPerHop[$0.name] }
            table.append("bytes a pending promise with one handler") { memory.bytesPerPromise[$0.name] }
            tables.append(table)
        }
        if !instructions.isEmpty {
            var table = Table("Instructions each", headings: ["the same work", "Pledge", "Swift", "ratio"])
            table.rows += instructions.map(\.row)
            tables.append(table)
        }
        if !awaited.isEmpty {
            var table = Table("Microseconds each", headings: ["", "CPU", "wall"])
            table.rows += awaited
            tables.append(table)
        }
        return tables
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path))
    }
}

/// Writes a line about the progress to standard error, so that standard output contains only the result.
func progress(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
}
