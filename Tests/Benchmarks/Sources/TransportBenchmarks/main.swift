import Foundation

// Compares HTTP clients: CPU time of the client's process, and requests per second.
// swift run -c release --package-path Tests/Benchmarks TransportBenchmarks [--check] [--rounds N]
// swift run -c release --package-path Tests/Benchmarks TransportBenchmarks soak

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "serve" { Response.serve() }
if arguments.first == "only" {
    // Runs a single contender, for a profiler. The server was started by hand with "serve".
    let words = arguments.dropFirst().map(\.self)
    guard words.count == 3, let kind = Kind(rawValue: words[0]), let url = URL(string: words[1]),
        let requests = Int(words[2]), let contender = try kind.contender(url, inFlight: 64)
    else { throw Problem("only <contender> <url> <requests>") }
    let cost = try contender.run(requests)
    print("\(Int(cost.cpu * 1e6)) µs CPU a request, \(Int(1 / cost.time)) requests a second")
    exit(0)
}
let server = try Server()
if arguments.first == "soak" { exit(try soak(server) ? 0 : 1) }

let isChecking = arguments.contains("--check")
let rounds = arguments.firstIndex(of: "--rounds").flatMap { Int(arguments[($0 + 1)...].first ?? "") } ?? 15

func table(_ title: String, _ comparisons: [Comparison], _ figure: (Cost) -> String) {
    print("\n\(title)\n")
    print("| client |" + comparisons.map { " \($0.inFlight) |" }.joined())
    print("|---|" + comparisons.map { _ in "---:|" }.joined())
    for kind in Kind.allCases {
        print("| \(kind.rawValue) |" + comparisons.map { " \($0.costs[kind].map(figure) ?? "–") |" }.joined())
    }
}

if isChecking {
    let compare = {
        try Comparison(server.url, inFlight: 64, rounds: rounds, kinds: Kind.allCases.filter { $0 != .aiohttp })
    }
    var comparison = try compare()
    // On a busy machine, a gate may fail by chance, but hardly three times in a row. So the comparison is repeated up
    // to twice.
    for _ in 0..<2 where !comparison.gates.allSatisfy(\.holds) { comparison = try compare() }
    for gate in comparison.gates { print(gate) }
    exit(comparison.gates.allSatisfy(\.holds) ? 0 : 1)
}
let comparisons = try [1, 8, 64, 256].map { try Comparison(server.url, inFlight: $0, rounds: rounds) }
table("CPU a request, µs", comparisons) { String(format: "%.0f", $0.cpu * 1e6) }
table("Requests a second", comparisons) { String(format: "%.0f", 1 / $0.time) }
print("\nWith 64 in flight, CPU:")
for gate in comparisons[2].gates { print(gate) }
