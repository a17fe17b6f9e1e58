import Foundation
import Pledge
import PledgeHTTP
import PledgeTestSupport
import Testing

@testable import PledgeBatch

@Suite("Batches", .serialized)
struct BatchTests {
    private static let limit: @Sendable (Int) -> BatchLimit = { _ in BatchLimit(service: "exist") }
    private let clock = ManualTimekeeper()

    /// Responds at once with the result of `response`, and records the requests.
    private final class Service: HTTPTransport {
        let sent = Locked<[String]>([])
        let response: @Sendable (_ path: String, _ times: Int) -> Promise<RawResponse>

        init(response: @escaping @Sendable (_ path: String, _ times: Int) -> Promise<RawResponse>) {
            self.response = response
        }

        convenience init() { self.init { _, _ in BatchTests.response(200) } }

        var count: Int { sent.withLock { $0.count } }

        func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
            let path = request.url.lastPathComponent
            let times = sent.withLock { sent in
                sent.append(path)
                return sent.count { $0 == path }
            }
            return response(path, times)
        }
    }

    private static func response(
        _ status: Int, _ headers: HeaderFields = [:], body: String = "{}"
    ) -> Promise<RawResponse> {
        .value(RawResponse(url: URL(fileURLWithPath: "/"), status: status, headers: headers, body: Data(body.utf8)))
    }

    private static let lost = Promise<RawResponse>(error: TransportError.connectionLost("a cable"))

    /// Sends a GET for an item, and returns the status of the response.
    private static func get(_ slot: BatchSlot, _ path: String) throws -> Promise<Int> {
        try client(slot).send(Endpoint<Void>(.get, path)).map(on: nil, \.response.status)
    }

    private func batch(accounts: Int, inFlight: Int = BatchRules().inFlight, over service: Service) -> Batch<Int, Int> {
        var rules = BatchRules()
        rules.inFlight = inFlight
        return Batch(1...accounts, rules: rules, over: service, clock: clock.timekeeper, seed: 1) { number in
            BatchLimit(service: "exist", token: "secret-\(number)")
        } work: { number, slot in
            try Self.get(slot, "a\(number)")
        }
    }

    /// Advances the clock second by second. After each second, waits until everything that may be sent has been
    /// processed.
    private func pass(_ seconds: Int, _ batch: Batch<Int, Int>) async {
        for _ in 0..<seconds {
            clock.advance(by: 1)
            await rest(batch)
        }
    }

    /// Waits until no item is at work, and the clock has the alarm that the schedule has planned. An item is at work as
    /// soon as it may send its request, even if the service hasn't received the request yet.
    private func rest(_ batch: Batch<Int, Int>) async {
        await Wait.until {
            let (atWork, alarm) = batch.engine.state.withLock {
                ($0.schedule.atWork, $0.isOver ? nil : $0.schedule.alarm)
            }
            return atWork == 0 && (alarm == nil || clock.alarmCount > 0)
        }
    }

    /// Jumps of the clock by about ten years, ahead and back.
    private static let jumps: [TimeInterval] = [3.2e8, -3.2e8]

    @Test(
        "A waiting account continues exactly when its wait is over, even if the clock is set in the meantime",
        arguments: [0] + jumps)
    func wakes(jump: TimeInterval) async throws {
        let service = Service { path, times in
            switch (path, times) {
            case ("a1", 1): Self.response(429, ["Retry-After": "600"])
            // This response asks to wait until a date. The length of the wait was computed when the response arrived,
            // so a later jump of the clock doesn't matter.
            case ("a2", 1): Self.response(429, ["Retry-After": "Thu, 01 Jan 1970 00:05:00 GMT"])
            case ("a3", 1): Self.response(200, ["RateLimit-Remaining": "0", "RateLimit-Reset": "600"])
            case ("a4", 1): Self.lost
            default: Self.response(200)
            }
        }
        let batch = batch(accounts: 10, inFlight: 2, over: service)
        let end = batch.run { _, _ in }
        await Wait.until { batch.tally.done == 7 && batch.tally.waits == 3 }
        #expect(batch.progress(of: 10).waiting == 3 && batch.progress(of: 10).left == 3)
        clock.advance(by: 30)
        await Wait.until { batch.tally.done == 8 }
        clock.jump(by: jump)
        #expect(batch.progress(of: 10).elapsed == 30)
        for (due, done) in [(300, 9), (600, 10)] as [(TimeInterval, Int)] {
            #expect(batch.progress(of: 10).wake == Date(timeIntervalSince1970: due + jump))
            clock.advance(by: due - 0.5 - clock.timekeeper.uptime())
            await DefaultExecutor.drain()
            #expect(batch.tally.done == done - 1 && service.count == done + 2)
            clock.advance(by: 0.5)
            await Wait.until { batch.tally.done == done }
        }
        _ = try await end.value
        #expect(batch.tally.failed == 0 && batch.tally.requests == 10 && batch.tally.retries == 3)
        #expect(batch.tally.waits == 3 && batch.tally.waitSeconds >= 900 && batch.tally.bytes == 24)
        #expect(batch.progress(of: 10).left == 0 && batch.progress(of: 9).left == 0)
        #expect(clock.alarmCount == 0)
    }

    @Test(
        "A service that is down is probed until it is back, even if the clock is set in the meantime",
        arguments: jumps)
    func outage(jump: TimeInterval) async throws {
        let isBack = Locked(false)
        let service = Service { _, _ in
            isBack.withLock { $0 } ? Self.response(200) : Promise(error: TransportError.unreachable("nobody listens"))
        }
        let batch = batch(accounts: 40, over: service)
        let end = batch.run { _, _ in }
        await Wait.until { batch.tally.outages == 1 }
        #expect(batch.progress(of: 40).down == ["exist"] && batch.progress(of: 40).tallies["exist"]?.outages == 1)
        #expect(batch.progress(of: 40).left == 40)
        await rest(batch)
        let before = service.count
        await pass(300, batch)
        clock.jump(by: jump)
        await pass(300, batch)
        #expect(5...20 ~= service.count - before, "\(service.count - before)")
        isBack.withLock { $0 = true }
        await pass(100, batch)
        _ = try await end.value
        #expect(batch.tally.done == 40 && batch.tally.givenUp == 0 && batch.tally.down.isEmpty)
        #expect(600...700 ~= batch.tally.outageSeconds, "\(batch.tally.outageSeconds)")
    }

    @Test(
        "Stopping a batch ends all waits without results and releases everything, even if canceled work returns a value"
    )
    func stops() async throws {
        let (service, objects, delivered) = (Service { _, _ in Self.response(429) }, LiveObjects(), Counter())
        do {
            let batch = Batch(1...100, over: service, clock: clock.timekeeper, limit: Self.limit) { number, slot in
                let status = try Self.get(slot, "a")
                return number > 50 ? status : status.recover(policy: .allErrors) { _ in Promise.value(0) }
            }
            let held = objects.captured("what results are delivered to")
            let end = batch.run { _, _ in
                held.capture()
                if !batch.isStopped { delivered.increment() }
            }
            await Wait.until { batch.tally.limited == 100 }
            batch.stop()
            _ = try await end.value
            #expect(delivered.value == 0 && batch.tally.givenUp == 100 && batch.tally.done == 0)
            #expect(clock.alarmCount == 0)
        }
        await Wait.until { objects.survivors.isEmpty }
        let canceled = Batch(1...1, over: Service(), limit: Self.limit) { _, _ in
            Promise<Int>(error: PromiseError.cancelled)
        }
        #expect(try await canceled.run { _, _ in throw Fault("it has a result") }.value.givenUp == 1)
        // When this batch is stopped, one item hasn't begun, and the sequence hasn't ended. The stop must not wait for
        // either of them.
        let (numbers, source) = AsyncStream<Int>.makeStream()
        for number in 1...2 { source.yield(number) }
        let batch = Batch(numbers, over: Service(), clock: clock.timekeeper) { _ in
            BatchLimit(service: "exist", token: "t", requests: 1)
        } work: { _, slot in
            try Self.get(slot, "a")
        }
        let end = batch.run { _, _ in }
        await Wait.until { batch.progress().done == 1 && batch.progress().waiting == 1 }
        batch.stop()
        await Wait.until { end.isFulfilled }
        #expect(batch.tally.givenUp == 1 && clock.alarmCount == 0)
        source.yield(3)
        await Wait.until { batch.tally.givenUp == 2 }
    }

    @Test("If the sequence of items or the closure for results throws an error, the batch ends")
    func fails() async throws {
        let works = Locked<[Promise<Int>]>([])
        let busy = Service { path, _ in path == "a7" ? Self.response(200) : Self.response(429, ["Retry-After": "600"]) }
        let stopped = Batch(1...10, over: busy, clock: clock.timekeeper, limit: Self.limit) { number, slot in
            let work = try Self.get(slot, "a\(number)")
            works.withLock { $0.append(work) }
            return work
        }
        await #expect(throws: Fault.self) {
            try await stopped.run { number, _ in if number == 7 { throw Fault("the disk is full") } }.value
        }
        // The items that are waiting end as well.
        for work in works.withLock({ $0 }) { #expect(await work.failure()?.isCancelled != false) }
        #expect(clock.alarmCount == 0)
        let numbers = AsyncThrowingStream<Int, any Error> { numbers in
            numbers.yield(1)
            numbers.finish(throwing: Fault("the list is damaged"))
        }
        let damaged = Batch(numbers, over: Service(), limit: Self.limit) { _, _ in Promise.value(1) }
        await #expect(throws: Fault.self) { try await damaged.run { _, _ in }.value }
    }

    @Test("Results are delivered one at a time, and no more than `inFlight` results wait to be delivered")
    func results() async throws {
        let begun = Counter()
        var rules = BatchRules()
        rules.inFlight = 3
        let batch = Batch(1...50, rules: rules, over: Service(), limit: Self.limit) {
            number, _ in
            begun.increment()
            return Promise.value(number)
        }
        var taken: [Int] = []
        for try await (item, result) in batch.results {
            taken.append(try result.get())
            #expect(item == taken.last)
            #expect(begun.value <= taken.count + 3)
        }
        #expect(taken.sorted() == Array(1...50) && batch.tally.done == 50)
    }

    @Test("A batch asks its sequence for one item at a time, and stops when the loop over its results is left")
    func leaving() async throws {
        let (numbers, wanted) = (Counter(), Counter())
        let endless = AsyncStream<Int> {
            wanted.increment()
            await Task.yield()
            wanted.decrement()
            return numbers.next()
        }
        let batch = Batch(endless, over: Service(), limit: Self.limit) { number, _ in Promise.value(number) }
        for try await (item, _) in batch.results where item > 20 { break }
        #expect(batch.isStopped && numbers.value < 100 && wanted.peak == 1)
    }

    private final class Tokens: TokenSource {
        let make: @Sendable () -> Promise<String>
        init(_ make: @escaping @Sendable () -> Promise<String>) { self.make = make }
        func token() -> Promise<String> { make() }
    }

    private static func client(
        _ slot: BatchSlot, _ authorizer: Authorizer = .none, _ options: EndpointClient.Options = .init()
    ) throws -> EndpointClient {
        EndpointClient(
            baseURL: try #require(URL(string: "https://a.example")), authorizer: authorizer,
            options: slot.options(options))
    }

    /// Runs a batch with one item, and advances the clock until the batch is done.
    private func item<Value: Sendable, U: Thenable<Value>>(
        over service: Service, _ work: @escaping @Sendable (BatchSlot) throws -> U
    ) async throws -> Result<Value, any Error> {
        let batch = Batch(1...1, over: service, clock: clock.timekeeper, limit: Self.limit) { _, slot in
            try work(slot)
        }
        let outcome = Locked<Result<Value, any Error>?>(nil)
        let end = batch.run { _, result in outcome.withLock { $0 = result } }
        while end.isPending {
            clock.advance(by: 1)
            await Task.yield()
        }
        return try #require(outcome.withLock { $0 })
    }

    /// Runs a batch with one item that sends these requests at once. Returns the status of each response.
    private func item(_ endpoints: [Endpoint<Void>], over service: Service) async throws -> [Int?] {
        let statuses = try await item(over: service) { slot in
            let client = try Self.client(slot)
            return when(resolved: endpoints.map { client.send($0) })
        }
        return try statuses.get().map { (try? $0.get())?.response.status }
    }

    @Test("If an item sends several requests at once, all of them complete, even if each has to wait")
    func together() async throws {
        let service = Service { path, times in
            switch times {
            case 1: Self.response(429, ["Retry-After": "10"])
            case 2: Self.lost
            default: Self.response(200)
            }
        }
        let requests = ["a", "b", "c"].map { Endpoint<Void>(.get, $0) }
        #expect(try await item(requests, over: service) == [200, 200, 200])
        #expect(service.count == 9)
    }

    @Test("When an item's work has ended, its requests that are still waiting end as well")
    func leftBehind() async throws {
        let (first, others) = (Promise<RawResponse>.pending(), Locked<[Promise<Int>]>([]))
        let service = Service { path, _ in path == "a" ? first.promise : Self.response(429, ["Retry-After": "600"]) }
        let outcome = try await item(over: service) { slot in
            slot.whenParked { first.resolver.follow(Self.response(403)) }
            let work = try Self.get(slot, "a")
            try others.withLock { $0 = try ["b", "c"].map { try Self.get(slot, $0) } }
            return work
        }
        #expect(throws: ExchangeError.self) { try outcome.get() }
        for other in others.withLock({ $0 }) {
            let error = await thrown((any Error).self) { try await other.value }
            #expect(error != nil && !"\(error as Any)".contains("resolver"))
        }
        #expect(clock.alarmCount == 0)
    }

    @Test("`whenParked` is called when an item's request has to wait, but not for a request that is sent at once")
    func spills() async throws {
        let (service, spills, asked) = (Service(), Recorder<Int>(), Counter())
        clock.advance(by: 10)
        let batch = Batch(1...1, over: service, clock: clock.timekeeper) { _ in
            BatchLimit(service: "exist", requests: 1)
        } work: { _, slot in
            slot.whenParked { spills.append(service.count) }
            let calls = try ["a", "b"].map { try Self.get(slot, $0) }
            asked.increment()
            return when(fulfilled: calls).asVoid()
        }
        let end = batch.run { _, _ in }
        // The limit's hour begins with the first response.
        await Wait.until { asked.value > 0 && batch.tally.requests == 1 }
        clock.advance(by: 3599)
        await DefaultExecutor.drain()
        #expect(service.count == 1)
        clock.advance(by: 1)
        await Wait.until { end.isFulfilled }
        #expect(spills.all == [1] && service.sent.withLock { $0 } == ["a", "b"])
    }

    @Test("A write that isn't repeatable is sent again only after a 429, which shows that the service refused it")
    func writes() async throws {
        let (post, repeatable) = (Endpoint<Void>(.post, "a"), Endpoint<Void>(.post, "a", isRepeatable: true))
        for (request, attempts) in [(Endpoint<Void>(.put, "a"), 2), (repeatable, 2), (post, 1)] {
            let lost = Service { _, times in times == 1 ? Self.lost : Self.response(200) }
            #expect(try await item([request], over: lost) == [attempts == 1 ? nil : 200])
            #expect(lost.count == attempts)
        }
        let refused = Service { _, times in times == 1 ? Self.response(429, ["Retry-After": "1"]) : Self.response(200) }
        #expect(try await item([post], over: refused) == [200])
    }

    @Test("A response that isn't JSON is requested again only if the endpoint expects JSON")
    func otherContent() async throws {
        func attempts<Value: Sendable>(_ endpoint: Endpoint<Value>) async throws -> Int {
            let service = Service { _, _ in Self.response(200, body: "<html>") }
            let isGarbled = try await item(over: service) { slot in
                #expect(!slot.isGarbled)
                return try Self.client(slot).value(of: endpoint).settled().map(on: nil) { _ in slot.isGarbled }
            }
            #expect(try isGarbled.get() == (service.count == 2))
            return service.count
        }
        #expect(try await attempts(Endpoint<[Int]>(.get, "a")) == 2)
        #expect(try await attempts(Endpoint<Void>(.get, "a")) == 1)
        #expect(
            try await attempts(
                Endpoint<String>(.get, "a", headers: ["Accept": "text/csv"]) { response, _ in "\(response)" }) == 1)
    }

    @Test("A request gets its token only when it may be sent, and each attempt is adapted, counted, and reported")
    func eachAttempt() async throws {
        let (tokens, waits, costs) = (Recorder<String?>(), Counter(), Recorder<Double>())
        let service = Service { _, times in
            times < 3 ? Self.response(times == 1 ? 429 : 503, ["Retry-After": "600"]) : Self.response(404)
        }
        let dated = Tokens { [uptime = clock.timekeeper.uptime] in .value("t\(Int(uptime()))") }
        let outcome = try await item(over: service) { slot in
            var options = EndpointClient.Options()
            options.adapt = { request in tokens.append(request.headers["Authorization"]) }
            options.observer = { event in if case .waiting = event.kind { waits.increment() } }
            options.budget.requests = 3
            let client = try Self.client(slot, .source(dated), options)
            return client.send(Endpoint<Void>(.get, "a"), charging: client.makeMeter()).asVoid().tap(on: nil) { _ in
                for cost in [Double(slot.cost.requests), Double(slot.cost.attempts), slot.seconds] {
                    costs.append(cost)
                }
            }
        }
        let times = tokens.all.compactMap { $0.flatMap { Int($0.dropFirst("Bearer t".count)) } }
        #expect(times.count == 3 && zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 600 }, "\(times)")
        #expect(waits.value == 2 && costs.all.prefix(2) == [1, 3] && costs.all[2] >= 1200)
        guard case .failure(let error as ExchangeError) = outcome else { throw Fault("it was \(outcome)") }
        #expect(error.status == 404 && error.attempts == 3)
    }

    @Test("Requests of a token source count toward the item, but don't wait behind the request that needs the token")
    func tokenOfItsOwn() async throws {
        let service = Service { path, times in
            path == "token" && times == 1 ? Self.response(429, ["Retry-After": "10"]) : Self.response(200)
        }
        let outcome = try await item(over: service) { slot in
            let client = try Self.client(slot)
            let tokens = Tokens { client.send(Endpoint<Void>(.get, "token")).map(on: nil) { "t\($0.response.status)" } }
            return try Self.client(slot, .source(tokens)).send(Endpoint<Void>(.get, "a")).asVoid()
        }
        #expect((try? outcome.get()) != nil)
        #expect(service.sent.withLock { $0 } == ["token", "token", "a"])
    }

    @Test("A limit is printed without its token", arguments: [BatchLimit(service: "Exist", token: "s3cr3t-t0ken")])
    func discretion(limit: BatchLimit) { #expect(!printed(limit).contains("s3cr3t")) }
}

@Suite("The limit of an item")
struct BatchLimitTests {
    @Test("Each setting of a `BatchLimit` changes which limit a request counts toward, or the limit's size or period")
    func settings() throws {
        let rows: [String: (change: (inout BatchLimit) -> Void, figure: (Schedule.Quota) -> String)] = [
            "service": ({ $0.service = "b" }, \.service),
            "token": ({ $0.token = "u" }, { "\($0.token)" }),
            "requests": ({ $0.requests = 7 }, { "\($0.limit ?? 0)" }),
            "period": ({ $0.period = 60 }, { "\($0.period)" }),
        ]
        let usual = BatchLimit(service: "a", token: "t")
        let settings = try Repository.symbols("PledgeBatch")
            .filter { $0.path.hasPrefix("BatchLimit.") && $0.isMutableProperty }
        #expect(Set(settings.map { $0.path.replacing("BatchLimit.", with: "") }) == Set(rows.keys))
        for (name, row) in rows {
            var other = usual
            row.change(&other)
            let figures = [usual, usual, other].map { row.figure(BatchItem($0) { _ in .value(.done()) }.quota) }
            #expect(figures[0] == figures[1] && figures[1] != figures[2], "\(name): \(figures)")
        }
        let alone = BatchItem(BatchLimit(service: "a")) { _ in .value(.done()) }.quota
        #expect(!alone.isShared && alone.limit == nil && alone.period == 3600)
    }
}
