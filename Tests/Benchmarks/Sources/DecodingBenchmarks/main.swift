import Foundation

// Reading replies, against the way older clients read them: both on the same bytes, in CPU time of this process.
// swift run -c release --package-path Tests/Benchmarks DecodingBenchmarks [--check] [--rounds N]

let arguments = CommandLine.arguments
let rounds = arguments.firstIndex(of: "--rounds").flatMap { arguments.dropFirst($0 + 1).first }.flatMap(Int.init) ?? 9
let isChecking = arguments.contains("--check")

var holds = true
print("| reply | Pledge | older clients' way | ratio | floor |")
print("|---|---:|---:|---:|---:|")
for contest in try contests() {
    var result = try contest.run(rounds: rounds)
    // A busy machine can fail a floor that holds, but hardly three times running.
    for _ in 0..<2 where isChecking && result.ratio < contest.floor { result = try contest.run(rounds: rounds) }
    let isFast = result.ratio >= contest.floor
    holds = holds && isFast
    let times = [result.ours, result.theirs].map { String(format: "%.2f ms", $0 * 1000) }
    let cells = [contest.name] + times + [String(format: "%.1f×", result.ratio), "\(Int(contest.floor))×"]
    print("| \(cells.joined(separator: " | ")) |\(isFast ? "" : " FAILS")")
}
if isChecking, !holds { exit(1) }
