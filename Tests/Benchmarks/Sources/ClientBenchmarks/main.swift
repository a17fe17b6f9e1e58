import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox

// What the client adds to the bare transport, in CPU time of this process; the server is another process.
// swift run -c release --package-path Tests/Benchmarks ClientBenchmarks [--check]

let reply = Data(("{\"items\": [" + Array(repeating: "12345678", count: 900).joined(separator: ",") + "]}").utf8)

if CommandLine.arguments.dropFirst().first == "serve" {
    let server = SandboxServer(
        routes: [
            SandboxRoute("GET /things/") { _ in
                SandboxResponse(status: 200, headers: ["Content-Type": "application/json"], body: reply)
            }
        ], logLimit: 0)
    try server.start()
    print(server.baseURL.absoluteString)
    fflush(nil)
    // Ends with the process that started it.
    while readLine() != nil {}
    exit(0)
}

let process = Process()
process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
process.arguments = ["serve"]
let (input, output) = (Pipe(), Pipe())
process.standardInput = input
process.standardOutput = output
try process.run()
let address = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
guard let baseURL = URL(string: address.trimmingCharacters(in: .whitespacesAndNewlines)) else { exit(2) }

let transport = URLSessionTransport(connectionsPerHost: 64)
let client = EndpointClient(baseURL: baseURL, transport: transport, authorizer: .bearer("token"))
let things = Endpoint<Int>(.get, "things/") { $0.body.count }
let bare = OutgoingRequest(
    url: baseURL.appendingPathComponent("things", isDirectory: true), headers: ["Authorization": "Bearer token"])

func cpuSeconds() -> Double {
    // Of this process: user and system time.
    Double(clock()) / Double(CLOCKS_PER_SEC)
}

func measure(_ requests: Int, _ send: @escaping @Sendable () -> Promise<Int>) throws -> Double {
    let before = cpuSeconds()
    let sizes = try when(fulfilled: 0..<requests, concurrently: 64) { _ in send() }.wait()
    precondition(sizes.allSatisfy { $0 == reply.count })
    return (cpuSeconds() - before) / Double(requests)
}

let contenders: [(name: String, send: @Sendable () -> Promise<Int>)] = [
    ("bare transport", { transport.send(bare).map { $0.body.count } }),
    ("EndpointClient", { client.send(things).map { $0.value } }),
]
var times: [[Double]] = [[], []]
for round in 0..<42 {
    for index in [0, 1].shuffled() {
        let time = try measure(300, contenders[index].send)
        // The first rounds open connections.
        if round > 1 { times[index].append(time) }
    }
}
let medians = times.map { $0.sorted()[$0.count / 2] }
for (contender, median) in zip(contenders, medians) {
    print("\(contender.name): \(Int(median * 1e6)) µs CPU a request")
}
let ratio = medians[1] / medians[0]
print("the client adds \(((ratio - 1) * 1000).rounded() / 10) %, at most 10 %")
process.terminate()
if CommandLine.arguments.contains("--check"), ratio > 1.1 { exit(1) }
