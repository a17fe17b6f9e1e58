import Foundation

/// The resources of this process that must not grow during a long run.
private struct Footprint: CustomStringConvertible {
    let resident: Int
    let files: Int
    let threads: Int

    init() throws {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard pages.count > 1, let resident = Int(pages[1]) else { throw Problem("/proc/self/statm cannot be read.") }
        self.resident = resident * sysconf(Int32(_SC_PAGESIZE))
        files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }

    var description: String {
        "\(String(format: "%.1f", Double(resident) / 1_048_576)) MiB, \(files) files, \(threads) threads"
    }
}

/// Sends 200,000 requests over a single transport, with 64 in flight.
///
/// - Returns: Whether nothing grew.
func soak(_ server: Server) throws -> Bool {
    guard let contender = try TransportContender.curl(server.url, inFlight: 64) else {
        throw Problem("CurlTransport is for Linux.")
    }
    var footprints: [Int: Footprint] = [:]
    for sent in stride(from: 5_000, through: 200_000, by: 5_000) {
        _ = try contender.run(5_000)
        guard sent.isMultiple(of: 50_000) else { continue }
        let footprint = try Footprint()
        footprints[sent] = footprint
        print("after \(sent) requests: \(footprint)")
    }
    guard let early = footprints[50_000], let late = footprints[200_000] else { return false }
    let connections = try server.accepted()
    let gates = [
        Gate(title: "MiB grown", figure: Double(late.resident - early.resident) / 1_048_576, limit: 2),
        Gate(title: "files more or fewer", figure: Double(abs(late.files - early.files)), limit: 0),
        Gate(title: "threads more or fewer", figure: Double(abs(late.threads - early.threads)), limit: 0),
        Gate(title: "connections more or fewer than 64", figure: Double(abs(connections - 64)), limit: 0),
    ]
    for gate in gates { print(gate) }
    return gates.allSatisfy(\.holds)
}
