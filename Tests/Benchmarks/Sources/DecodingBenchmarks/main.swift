import Callgrind
import Foundation

// Compares ways to decode responses. All decode the same bytes, and each is measured in CPU time of its own process.
// swift run -c release --package-path Tests/Benchmarks DecodingBenchmarks [--check] [--rounds N] [--python python3] \
//   [--only WORD]

let arguments = CommandLine.arguments
func option(_ name: String) -> String? { arguments.firstIndex(of: name).flatMap { arguments.dropFirst($0 + 1).first } }
let rounds = option("--rounds").flatMap(Int.init) ?? 9
let only = option("--only") ?? ""
let isChecking = arguments.contains("--check")

// `count KEY N` only decodes a response N times, for a profiler. The keys are attributes, averages, correlations,
// insights, and deviceData. For a caller's own types, they are “100 correlations/Pledge” and the like.
if arguments.dropFirst().first == "count" {
    let count = Int(arguments[3]) ?? 1
    if let response = responses().first(where: { $0.key == arguments[2] }) {
        for _ in 0..<count { _ = try response.ours() }
    }
    for contest in ownTypes() {
        for contender in contest.contenders where "\(contest.name)/\(contender.name)" == arguments[2] {
            _ = try contender.seconds(count)
        }
    }
    exit(0)
}

let python = Python(option("--python") ?? "python3")

/// Prints a table with a column for each contender: this package's time in microseconds, and the times of the others as
/// multiples of it. Returns whether all gates hold.
func run(_ title: String, _ contests: [Contest]) throws -> Bool {
    var holds = true
    let names = contests.first?.contenders.map(\.name) ?? []
    print("| \(title) | \(names.joined(separator: " | ")) | gates |")
    print("|---|\(names.map { _ in "---:|" }.joined())---|")
    for contest in contests where only.isEmpty || contest.name.contains(only) {
        var times = try contest.run(rounds: rounds)
        // On a busy machine, a gate may fail by chance, but hardly three times in a row. So the contest is repeated up
        // to twice.
        for _ in 0..<2 where isChecking && !contest.failures(times).isEmpty { times = try contest.run(rounds: rounds) }
        let ours = times[names[0]] ?? 0
        let cells = names.map { name in
            name == names[0]
                ? String(format: "%.0f µs", ours * 1e6) : String(format: "%.2f×", (times[name] ?? 0) / ours)
        }
        let failures = contest.failures(times)
        holds = holds && failures.isEmpty
        let words = failures.map { String(format: "FAILS: %.2f× %@", $0.floor, $0.other) }.joined(separator: ", ")
        print("| \(contest.name) | \(cells.joined(separator: " | ")) | \(failures.isEmpty ? "hold" : words) |")
    }
    print("")
    return holds
}

/// Counts the instructions with which this package and msgspec decode each response, and prints them. Returns false if
/// msgspec needs fewer for any response. Without valgrind or msgspec, nothing is compared, and the result is true.
func runInstructions(_ python: Python?) -> Bool {
    var holds = true
    print("| response, in instructions | Pledge | msgspec | gate, 1.0 |\n|---|---:|---:|---|")
    for response in responses() where only.isEmpty || response.name.contains(only) {
        let ours = Callgrind.perUnit(20, 60) { [Bundle.main.executablePath ?? "", "count", response.key, "\($0)"] }
        let other = python.flatMap { python in
            // These are the commands that the type `Python` also sends to the script.
            Callgrind.perUnit(
                100, 300, isScript: true,
                input: { count in
                    Data("load \(response.key) \(response.body.count)\n".utf8) + response.body
                        + Data("read \(response.key) msgspec \(count)\n".utf8)
                },
                { _ in [python.executable, Python.script] })
        }
        guard let ours, let other else { continue }
        holds = holds && other >= ours
        let cells = String(format: "%.0f | %.2f× | ", ours, other / ours) + (other >= ours ? "holds" : "FAILS")
        print("| \(response.name) | \(cells) |")
    }
    print("")
    return holds
}

let hold = [
    runInstructions(python),
    try run("response", try responses().map { try $0.contest(python) }),
    try run("a caller's own types", ownTypes()),
    try run("2 MB of zeros", hostileShapes()),
]
if isChecking, hold.contains(false) { exit(1) }
