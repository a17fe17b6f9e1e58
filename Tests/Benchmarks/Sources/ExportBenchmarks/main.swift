import Callgrind
import ExistKit
import Foundation

// Measures the CPU seconds of `pledge export` and `pledge sync`, of the bare EndpointClient with the same calls, and of
// a plain Python script and a C++ loop over libcurl and simdjson that do the same job. The server is another process.
// Each contender is a process, and is measured as a whole. The exit code is 1 if a gate fails.
// swift run -c release --package-path Tests/Benchmarks ExportBenchmarks --pledge .build/release/pledge
//     [--python python3] [--accounts 400] [--in-flight 64] [--rounds 7] [--transport NAME] [--only WORDS] [--check]

let arguments = CommandLine.arguments.dropFirst()
func option(_ name: String) -> String? {
    arguments.firstIndex(of: name).flatMap { arguments.dropFirst($0).first }
}

if arguments.first == "client" {
    try runClient(
        accounts: Int(option("--accounts") ?? "") ?? 1, inFlight: Int(option("--in-flight") ?? "") ?? 64,
        isNight: arguments.contains("--night"))
    exit(0)
}

guard let pledge = option("--pledge") else {
    print("Say where the tool is: --pledge .build/release/pledge")
    exit(64)
}
let accounts = option("--accounts").flatMap { Int($0) } ?? 400
// The tool reads this variable; the client gets the transport as an option.
if let name = option("--transport") { setenv("PLEDGE_TRANSPORT", name, 1) }
let rounds = option("--rounds").flatMap { Int($0) } ?? 7
let job = try Job(
    accounts: accounts, inFlight: option("--in-flight") ?? "64",
    transport: option("--transport").map { ["--transport", $0] } ?? [])
let server = try Server(pledge: pledge, accounts: max(accounts, Job.project))
let contenders = job.contenders(pledge: pledge, python: option("--python") ?? "python3").filter { contender in
    option("--only").map { $0.split(separator: ",").contains { contender.name.contains($0) } } ?? true
}

var times: [String: [Double]] = [:]
for round in 0...rounds {
    for contender in contenders.shuffled() {
        guard let seconds = try? server.cpuSeconds(of: contender.command()) else { continue }
        // In the first round, the server computes responses that it remembers for later rounds, so that round doesn't
        // count.
        if round > 0 { times[contender.name, default: []].append(seconds) }
    }
}
try job.checkResults()
/// The instructions for one account, if valgrind is installed.
var counts: [String: Double] = [:]
for (name, command) in job.counted(pledge: pledge) {
    counts[name] = Callgrind.perUnit(Job.sizes[0], Job.sizes[1], environment: server.environment, command)
}
server.stop()
job.clean()

/// The median CPU time for one account, in milliseconds.
var medians: [String: Double] = [:]
print("| client | CPU ms an account |\n|---|---:|")
for contender in contenders {
    medians[contender.name] = times[contender.name].map {
        $0.sorted()[$0.count / 2] * 1000 / Double(contender.accounts)
    }
    let figure = medians[contender.name].map { String(format: "%.2f", $0) }
    print("| \(contender.name) | \(figure ?? "is not here, or failed") |")
}
// A nightly sync can't be compared with an export directly, because a sync sends more requests. So this estimates the
// time of an export with as many requests as the sync: the time of the export, multiplied by the ratio of the bare
// client's times for the requests of the sync and for those of the export.
if let export = medians[Job.export], let client = medians[Job.client], let night = medians[Job.nightClient] {
    medians[Job.nightExport] = night * export / client
}
/// Prints the gates, and returns whether all hold.
func show(_ gates: [Job.Gate], of figures: [String: Double], _ title: String) -> Bool {
    var holds = true
    print("\n| gate: \(title), as a multiple | figure | holds |\n|---|---:|---|")
    for gate in gates {
        guard let one = figures[gate.one], let other = figures[gate.other] else {
            print("| \(gate.one), of \(gate.other) | not measured | – |")
            continue
        }
        let isHeld = one / other <= gate.most ?? .infinity
        holds = holds && isHeld
        let limit = gate.most.map { ", at most \($0)" } ?? ""
        let word = gate.most == nil ? "–" : isHeld ? "yes" : "no"
        print("| \(gate.one), of \(gate.other)\(limit) | \(String(format: "%.2f", one / other)) | \(word) |")
    }
    return holds
}
let isFast = show(Job.gates, of: medians, "CPU")
print("\n| client | instructions an account |\n|---|---:|")
for (name, count) in counts.sorted(by: { $0.value > $1.value }) { print("| \(name) | \(Int(count)) |") }
let isShort = show(Job.countedGates, of: counts, "instructions")
if arguments.contains("--check"), !(isFast && isShort) { exit(1) }
