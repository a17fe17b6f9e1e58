import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox

// Measures what the client adds to the bare transport, in CPU time of this process. The server is another process.
// swift run -c release --package-path Tests/Benchmarks ClientBenchmarks [--check]

let response = Data(("{\"items\": [" + Array(repeating: "12345678", count: 900).joined(separator: ",") + "]}").utf8)

if CommandLine.arguments.dropFirst().first == "serve" {
    let server = LoopbackServer(
        routes: [
            ServerRoute("GET /things/") { _ in
                ServerResponse(status: 200, headers: ["Content-Type": "application/json"], body: response)
            }
        ], logLimit: 0)
    try server.start()
    print(server.baseURL.absoluteString)
    fflush(nil)
    // The input ends when the process that started this one ends.
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

let things = Endpoint<Int>(.get, "things/") { response, _ in response.body.count }
let bare = OutgoingRequest(
    url: baseURL.appendingPathComponent("things", isDirectory: true), headers: ["Authorization": "Bearer token"])

func cpuSeconds() -> Double {
    // The user and system time of this process.
    Double(clock()) / Double(CLOCKS_PER_SEC)
}

func measure(_ requests: Int, _ send: @escaping @Sendable () -> Promise<Int>) throws -> Double {
    let before = cpuSeconds()
    let sizes = try when(fulfilled: 0..<requests, concurrently: 64) { _ in send() }.wait()
    precondition(sizes.allSatisfy { $0 == response.count })
    return (cpuSeconds() - before) / Double(requests)
}

/// Returns the microseconds of CPU time per request, for the bare transport and for the client over it.
func compare(_ kind: StandardTransport.Kind) throws -> (bare: Double, client: Double) {
    let transport = StandardTransport(kind, requestsInFlight: 64)
    let client = EndpointClient(
        baseURL: baseURL, authorizer: .bearer("token"),
        options: EndpointClient.Options().with { $0.transport = transport })
    let contenders: [@Sendable () -> Promise<Int>] = [
        { transport.send(bare).map { $0.body.count } }, { client.send(things).map { $0.value } },
    ]
    var times: [[Double]] = [[], []]
    for round in 0..<42 {
        for index in [0, 1].shuffled() {
            let time = try measure(300, contenders[index])
            // The first two rounds open the connections, so they don't count.
            if round > 1 { times[index].append(time * 1e6) }
        }
    }
    let medians = times.map { $0.sorted()[$0.count / 2] }
    return (medians[0], medians[1])
}

var share = 0.0
for kind in StandardTransport.Kind.allCases {
    let (bare, client) = try compare(kind)
    print("\(kind.rawValue): \(Int(bare)) µs CPU a request, with EndpointClient \(Int(client)) µs")
    if kind == .urlSession { share = client / bare - 1 }
}
print("over URLSession the client adds \((share * 1000).rounded() / 10) %, at most 10 %")
process.terminate()
if CommandLine.arguments.contains("--check"), share > 0.1 { exit(1) }
