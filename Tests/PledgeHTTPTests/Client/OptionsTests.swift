import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("The options of a client", .serialized)
struct OptionsTests {
    private typealias Options = EndpointClient.Options
    /// A change of the options, some calls to a service, and the line that these calls must return if the options are
    /// changed. If the options are not changed, the calls must return another line.
    private typealias Row = (change: (inout Options) -> Void, line: String, calls: Calls)
    private typealias Calls = @Sendable (ThingServer, EndpointClient) async throws -> String

    private struct Fixed: HTTPTransport {
        func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
            .value(RawResponse(url: request.url, status: 418))
        }
    }

    private struct Book: Encodable {
        var isNew: Int
    }

    private struct Closed: RequestGate {
        func permit(after pause: RetryPause?, onWait: @escaping @Sendable (TimeInterval) -> Void) -> Promise<Void> {
            Promise(error: GateClosed(seconds: 7))
        }
        func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> RetryPause? { nil }
    }

    /// Returns the error of a call, or the beginning of its value's description.
    private static func outcome(_ call: Promise<some Sendable>) async -> String {
        switch await call.settled().value {
        case .success(let value): "\(value)".prefix { $0 != "," }.description
        case .failure(let error as ExchangeError): "\(error.reason)\(ServiceMessage.clause(error.message))"
        case .failure(let error): "\(error)"
        }
    }

    /// Returns calls that script the service's first response, send a GET, and return its outcome.
    private static func after(_ response: ServerResponse) -> Calls {
        { things, client in
            things.respond(response)
            return await outcome(client.value(of: ThingServer.Call.get.endpoint))
        }
    }

    /// Returns calls that send a POST, and return what `show` makes of the request that the service received.
    private static func received(_ show: @escaping @Sendable (ServerRequest) -> String?) -> Calls {
        { things, client in
            let items: QueryItems = ["old": false, "all": [true, false]]
            _ = await client.send(
                Endpoint<Void>(.post, "thing/", query: items, body: .json(Book(isNew: 1)))
            ).settled().value
            return things.server.requests.first.flatMap(show) ?? "nothing"
        }
    }

    /// Returns calls that read the resource, and then return the result of `line`, which describes what was recorded
    /// during the request.
    private static func told(_ line: @escaping @Sendable () -> String) -> Calls {
        { _, client in
            _ = try await client.get().value
            return line()
        }
    }

    private static let hour = Date(timeIntervalSince1970: 3600)

    private static var rows: [String: Row] {
        let waits = Recorder<String>()
        let (limiter, dates, times) = (RateLimiter(limit: 5), Recorder<Date>(), Recorder<TimeInterval>())
        // `UnreadableItem` and `JSONValue` are declared in PledgeCoding. PledgeHTTP re-exports them, because its
        // signatures contain them.
        let (events, unreadable) = (Recorder<String>(), Recorder<UnreadableItem>())
        return [
            "transport": ({ $0.transport = Fixed() }, "the service answered 418", after(.empty(404))),
            "clock": (
                {
                    $0.clock = Timekeeper(now: { hour }, schedule: { _, _ in {} })
                    $0.observer = { dates.append($0.date) }
                }, "true", told { "\(!dates.all.isEmpty && dates.all.allSatisfy { $0 == hour })" }
            ),
            "timeout": (
                {
                    $0.timeout = 7
                    $0.adapt = { times.append($0.timeout) }
                }, "[7.0]", told { "\(times.all)" }
            ),
            "totalTimeout": (
                {
                    $0.totalTimeout = 90
                    $0.clock = Timekeeper(
                        now: { hour },
                        schedule: {
                            if $0 == 90 { $1() }; return {}
                        })
                }, "no response within 90 s", after(.empty(404))
            ),
            "bodyLimit": ({ $0.bodyLimit = 10 }, "the response is larger than 10 bytes", after(.json(["ok": true]))),
            "retry": ({ $0.retry = .never }, "the service answered 503", after(.empty(503))),
            "limiter": ({ $0.limiter = limiter }, "4", told { "\(limiter.available)" }),
            "limits": (
                { $0.limits = { RateLimit(limit: $0.status, remaining: 7, resetsAt: nil) } }, "200 7",
                { _, client in
                    _ = try await client.get().value
                    return "\(client.rateLimit?.limit ?? 0) \(client.rateLimit?.remaining ?? 0)"
                }
            ),
            "plainHTTPHosts": (
                { $0.plainHTTPHosts = ["sandbox.example"] }, "the service answered 418",
                { _, client in
                    var options = client.options
                    options.transport = Fixed()
                    let address = try #require(URL(string: "http://sandbox.example/"))
                    let other = EndpointClient(baseURL: address, authorizer: .bearer("t"), options: options)
                    return await outcome(other.get())
                }
            ),
            "gate": (
                { $0.gate = { _ in Closed() } }, "the service permits no request for another 7 s", after(.empty(404))
            ),
            "budget": (
                { $0.budget.requests = 0 },
                "the budget of 0 requests is used up, after 0 requests with 0 items in 0 bytes",
                after(.empty(404))
            ),
            "meter": (
                { $0.meter = BudgetMeter(EndpointClient.Budget(bytes: 0)) },
                "the budget of 0 bytes is used up, after 0 requests with 0 items in 0 bytes", after(.empty(404))
            ),
            "userAgent": ({ $0.userAgent = "Library/7" }, "Library/7", received { $0.headers["User-Agent"] }),
            "headers": ({ $0.headers["X-App"] = "a" }, "a", received { $0.headers["X-App"] }),
            "adapt": ({ $0.adapt = { $0.headers["X-App"] = "b" } }, "b", received { $0.headers["X-App"] }),
            "json": ({ $0.json = .snakeCase }, #"{"is_new":1}"#, received { String(decoding: $0.body, as: UTF8.self) }),
            "observer": (
                { $0.observer = { events.append("\($0.kind)") } }, #"["sent", "received(status: 200, bytes: 11)"]"#,
                told { "\(events.all)" }
            ),
            "onWait": (
                { $0.onWait = { waits.append("\($0.seconds) \($0.reason)") } }, #"["0.0 status(503)"]"#,
                { things, client in
                    things.respond(.empty(503, headers: ["Retry-After": "0"]))
                    _ = try await client.get().value
                    return "\(waits.all)"
                }
            ),
            "onUnreadable": (
                { $0.onUnreadable = { if $0 == "thing/" { unreadable.append($1) } } }, #"["true"]"#,
                { things, client in
                    let bytes = Data(#"{"a":"b"#.utf8) + [0xE9] + Data(#""}"#.utf8)
                    things.respond(ServerResponse(status: 200, body: bytes))
                    _ = try await client.value(of: Endpoint<JSONValue>(.get, "thing/")).value
                    return "\(unreadable.all.map { "\($0.isKept)" })"
                }
            ),
            "findMessage": (
                { $0.findMessage = { "\($0.status) of theirs" } }, "the service answered 404, saying “404 of theirs”",
                after(.json(["detail": "No."], status: 404))
            ),
            "advise": (
                { $0.advise = { "Ask \($0.status ?? 0)." } }, "Ask 404.",
                { things, client in
                    things.respond(.empty(404))
                    return (await client.get().failure() as? ExchangeError)?.advice ?? "nothing"
                }
            ),
        ]
    }

    @Test("Every public type with mutable properties is listed here, either as tested settings or as a plain value")
    func types() throws {
        // The types with settings, in the order of the suites that test them: this one, `RateTests`,
        // `PageSequenceTests`, `CurlTransportTests`, `ScheduleTests`, and `BatchTests`.
        let tried: Set = [
            "EndpointClient.Options", "RetryRule", "EndpointClient.Budget", "CurlTransport.Options", "BatchRules",
            "BatchLimit",
        ]
        let values: Set = [
            "Decoded", "Endpoint", "ExchangeError", "HeaderFields.Field", "OAuth2Token", "OutgoingRequest", "RateLimit",
            "RawResponse", "RequestContext", "TransferProgress", "BatchProgress", "BatchSlot.Cost", "BatchTally",
        ]
        var found: Set<String> = []
        for module in ["PledgeHTTP", "PledgeBatch"] {
            for symbol in try Repository.symbols(module) where symbol.isMutableProperty {
                found.insert(symbol.path.split(separator: ".").dropLast().joined(separator: "."))
            }
        }
        #expect(found == tried.union(values))
    }

    @Test("Each option of a client has its effect, which doesn't occur without the option")
    func settings() async throws {
        let rows = Self.rows
        #expect(Set(Mirror(reflecting: Options()).children.compactMap(\.label)) == Set(rows.keys))
        let budget = EndpointClient.Budget(requests: 2_000, bytes: 64 << 20, items: 200_000, seconds: 86_400)
        #expect(Options().budget == budget)
        #expect(Options().timeout == 30 && Options().bodyLimit == 64 << 20 && Options.pageLimit == 8 << 20)
        let request = OutgoingRequest(url: URL(fileURLWithPath: "/"))
        #expect(request.timeout == 30 && request.bodyLimit == 64 << 20 && request.attempt == 1)
        for (name, row) in rows {
            for isChanged in [false, true] {
                let things = try ThingServer()
                let client = things.client(transport: StandardTransport()) { if isChanged { row.change(&$0) } }
                let line = try await row.calls(things, client)
                #expect((line == row.line) == isChanged, "\(name), \(isChanged ? "set" : "not set"): \(line)")
            }
        }
    }
}
