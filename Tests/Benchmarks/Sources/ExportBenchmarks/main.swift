import ExistKit
import Foundation

// CPU seconds a request of `pledge export`, of the bare EndpointClient on the same calls, and of a plain Python script
// that does the same job; the server is another process. Each contender is a process of its own, and so counted whole.
// swift run -c release --package-path Tests/Benchmarks ExportBenchmarks --pledge .build/release/pledge
//     [--python python3] [--accounts 400] [--in-flight 64] [--rounds 7] [--transport NAME] [--check]

let arguments = CommandLine.arguments.dropFirst()
func option(_ name: String) -> String? {
    arguments.firstIndex(of: name).flatMap { arguments.dropFirst($0).first }
}

if arguments.first == "client" {
    try runClient(accounts: Int(option("--accounts") ?? "") ?? 1, inFlight: Int(option("--in-flight") ?? "") ?? 64)
    exit(0)
}

guard let pledge = option("--pledge") else {
    print("Say where the tool is: --pledge .build/release/pledge")
    exit(64)
}
let accounts = option("--accounts").flatMap { Int($0) } ?? 400
let inFlight = option("--in-flight") ?? "64"
let rounds = option("--rounds").flatMap { Int($0) } ?? 7
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("export-benchmarks-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let input = folder.appendingPathComponent("accounts.jsonl")
let lines = (1...accounts).map { #"{"service":"exist","account":"a\#($0)","token":"exist-\#($0)"}"# }
try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: input)

let server = try Server(pledge: pledge, accounts: accounts)
let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Scripts/export.py").standardized.path
let transport = option("--transport").map { ["--transport", $0] } ?? []

func output(_ name: String) -> String {
    let path = folder.appendingPathComponent(name).path
    try? FileManager.default.removeItem(atPath: path)
    return path
}

let contenders: [(name: String, command: () -> [String])] = [
    (
        "pledge export",
        {
            [pledge, "export", input.path, "--output", output("pledge.jsonl"), "--quiet", "--in-flight", inFlight]
                + transport
        }
    ),
    (
        "EndpointClient, models read",
        {
            [CommandLine.arguments[0], "client", "--accounts", "\(accounts)", "--in-flight", inFlight, "--models"]
                + transport
        }
    ),
    (
        "EndpointClient, bytes only",
        { [CommandLine.arguments[0], "client", "--accounts", "\(accounts)", "--in-flight", inFlight] + transport }
    ),
    (
        "Python with aiohttp",
        { [option("--python") ?? "python3", script, input.path, output("python.jsonl"), inFlight] }
    ),
]
var times: [[Double]] = contenders.map { _ in [] }
for round in 0...rounds {
    for index in contenders.indices.shuffled() {
        let seconds = try server.cpuSeconds(of: contenders[index].command())
        // In the first round the server computes what it then remembers.
        if round > 0 { times[index].append(seconds / Double(accounts * 5)) }
    }
}
server.stop()
try? FileManager.default.removeItem(at: folder)

let medians = times.map { $0.sorted()[$0.count / 2] }
for (contender, median) in zip(contenders, medians) {
    print("\(contender.name): \(Int(median * 1e6)) µs CPU a request")
}
let ratios = (client: medians[0] / medians[1], python: medians[0] / medians[3])
func shown(_ ratio: Double) -> String { "\((ratio * 100).rounded() / 100)" }
print("pledge export takes \(shown(ratios.client)) of the bare client, at most 1.5")
print("pledge export takes \(shown(ratios.python)) of Python, at most 0.5")
if arguments.contains("--check"), ratios.client > 1.5 || ratios.python > 0.5 { exit(1) }
