/// A limit that this package guarantees for its own speed or size.
struct Gate {
    let title: String
    let figure: Double
    let limit: Double
    /// Whether the limit is a maximum.
    var wantsLess = true

    var holds: Bool { wantsLess ? figure <= limit : figure >= limit }
}

extension Gate: CustomStringConvertible {
    var description: String {
        "\(holds ? "pass" : "FAIL")  \(title): \(figure.rounded(to: 2)), \(wantsLess ? "at most" : "at least") \(limit)"
    }
}

extension Measurement {
    /// The gates of this workload.
    var gates: [Gate] {
        var gates: [Gate] = []
        let nio = contender(NIOContender.self)
        let asked =
            switch workload {
            case .maps, .thenInside, .rejection: 2.5
            case .when, .whenMany, .handlers: 2.0
            case .short, .thenOutside, .thensOutside, .threads: 1.0
            }
        gates.append(
            Gate(
                title: "\(name), times faster than NIO", figure: ratio(nio, to: pledge), limit: asked, wantsLess: false)
        )
        if workload == .maps || workload == .thenInside {
            gates.append(
                Gate(
                    title: "\(name), times faster than tasks",
                    figure: ratio(contender(TaskContender.self), to: pledge), limit: 4, wantsLess: false))
        }
        return gates
    }

    private var name: String { workload.rawValue }
}

extension MemoryUse {
    /// The gates of memory.
    var gates: [Gate] {
        [
            Gate(title: "memory, allocations a map", figure: allocationsPerMap[pledge.name] ?? .nan, limit: 2),
            Gate(title: "memory, allocations a then", figure: allocationsPerThen[pledge.name] ?? .nan, limit: 3),
            Gate(title: "memory, bytes a pending hop", figure: bytesPerHop[pledge.name] ?? .nan, limit: 200),
            Gate(title: "memory, bytes a pending promise", figure: bytesPerPromise[pledge.name] ?? .nan, limit: 350),
        ]
    }
}
