#if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))

    import Dispatch
    import Pledge
    import PledgeTestSupport
    import Testing

    // The configuration applies to the whole process, so each of these tests has its own process.
    @Suite("The configuration")
    struct ConfigurationTests {
        @Test(
            "by default has the default queue for all handlers, and a catch policy that skips cancellation until it is set"
        )
        func defaults() async {
            await #expect(processExitsWith: .success) {
                let configuration = PromiseConfiguration.shared
                #expect(configuration.queues.map === DispatchQueue.pledge)
                #expect(configuration.queues.return === DispatchQueue.pledge)
                #expect(configuration.catchPolicy == .allErrorsExceptCancellation)
                PromiseConfiguration.shared.catchPolicy = .allErrors
                let caught = Counter()
                _ = await Promise<Int>(error: PromiseError.cancelled).catch { _ in caught.increment() }.outcome()
                #expect(caught.value == 1)
            }
        }

        @Test("runs handlers in the middle of a chain on one queue, and those at its end on another")
        func queues() async {
            await #expect(processExitsWith: .success) {
                let (middle, end) = (MarkedQueue("map"), MarkedQueue("return"))
                PromiseConfiguration.shared.queues = (map: middle.queue, return: end.queue)
                let places = Recorder<String>()
                let note: @Sendable (String) -> Void = { verb in
                    places.append("\(verb) \(middle.isCurrent ? "map" : end.isCurrent ? "return" : "default")")
                }
                let failed = Promise<Void>(error: Fault.one)
                _ = await Promise().map { note("map") }.outcome()
                _ = await Promise().then { Promise.value(note("then")) }.outcome()
                _ = await Promise().compactMap { Optional(note("compactMap")) }.outcome()
                _ = await Promise().get { note("get") }.outcome()
                _ = await Promise().tap { _ in note("tap") }.outcome()
                _ = await failed.recover { _ in note("recover") }.outcome()
                _ = await Promise().done { note("done") }.outcome()
                _ = await Promise().ensure { note("ensure") }.outcome()
                _ = await failed.catch { _ in note("catch") }.outcome()
                _ = await failed.catch(only: Fault.self) { _ in note("catch only") }.outcome()
                #expect(
                    places.all == [
                        "map map", "then map", "compactMap map", "get map", "tap map", "recover map", "done return",
                        "ensure return", "catch return", "catch only return",
                    ])
            }
        }

        @Test("applies as it was when the handler was added")
        func lookedUpWhenAdded() async {
            await #expect(processExitsWith: .success) {
                let queue = MarkedQueue()
                PromiseConfiguration.shared.queues = (map: queue.queue, return: queue.queue)
                let source = Source(Int.self)
                let (middle, end) = (source.promise.map { _ in queue.isCurrent }, Recorder<Bool>())
                let ended = source.promise.done(flags: .barrier) { _ in end.append(queue.isCurrent) }
                let ensured = source.promise.ensure { end.append(queue.isCurrent) }
                PromiseConfiguration.shared.queues = (map: .pledge, return: nil)
                ensured.cancel()
                _ = await ensured.outcome()
                source.seal.fulfill(1)
                #expect(try await middle.value)
                try await ended.value
                #expect(end.all == [true, true])
            }
        }

        @Test("does not apply to a handler with its own queue, and can be reset to the default queue")
        func namedQueue() async {
            await #expect(processExitsWith: .success) {
                let (configured, named) = (MarkedQueue(), MarkedQueue())
                PromiseConfiguration.shared.queues = (map: configured.queue, return: configured.queue)
                let isNamed = try await Promise().map(on: named.queue) { named.isCurrent }.value
                #expect(isNamed)
                let isDefault = try await Promise().map(on: .pledge) { DefaultExecutor.isCurrent }.value
                #expect(isDefault)
                for end in [configured.queue, .pledge] {
                    PromiseConfiguration.shared.queues = (map: .pledge, return: end)
                    let isReset = try await Promise().map { DefaultExecutor.isCurrent }.value
                    #expect(isReset)
                    let places = Recorder<Bool>()
                    try await Promise().done { places.append(DefaultExecutor.isCurrent) }.value
                    #expect(places.all == [end === DispatchQueue.pledge])
                }
            }
        }

        @Test("keeps the order of handlers, and its queues are needed neither to pass an error on nor by combinators")
        func order() async {
            await #expect(processExitsWith: .success) {
                let queue = MarkedQueue()
                PromiseConfiguration.shared.queues = (map: queue.queue, return: queue.queue)
                let events = Recorder<Int>()
                let source = Source(Int.self)
                for number in 0..<50 { source.promise.done { _ in events.append(number) }.cauterize() }
                source.seal.fulfill(0)
                await queue.drain()
                #expect(events.all == Array(0..<50))
                queue.queue.suspend()
                let failed = Promise<Int>(error: Fault.one).map { $0 + 1 }.then { Promise.value($0) }
                await #expect(throws: Fault.one) { try await failed.value }
                let both = try await when(fulfilled: [Promise.value(1), race(Promise.value(2))]).value
                #expect(both == [1, 2])
                queue.queue.resume()
            }
        }

        @Test("runs handlers on its queues with the flags of each handler")
        func flags() async {
            await #expect(processExitsWith: .success) {
                let queue = DispatchQueue(label: "many at a time", attributes: .concurrent)
                queue.suspend()
                PromiseConfiguration.shared.queues = (map: queue, return: .pledge)
                let events = Recorder<String>()
                let first = Promise().map {
                    // Turns in which the other would run, if it were no barrier: it is in the same line.
                    for _ in 0..<200 {
                        let isDone = DispatchSemaphore(value: 0)
                        DispatchQueue.global().async { isDone.signal() }
                        isDone.wait()
                    }
                    events.append("first")
                }
                let barrier = Promise().map(flags: .barrier) { events.append("barrier") }
                try await Promise().map(on: .pledge) {}.value
                queue.resume()
                _ = try await when(fulfilled: first, barrier).value
                #expect(events.all == ["first", "barrier"])
            }
        }

        @Test("releases an earlier log handler even if its deallocation logs something")
        func earlierHandler() async {
            await #expect(processExitsWith: .success) {
                let lines = Recorder<String>()
                do {
                    let forgotten = Promise<Int>(error: Fault("nobody saw me"))
                    PromiseConfiguration.shared.logHandler = { [forgotten] _ in _ = forgotten }
                }
                PromiseConfiguration.shared.logHandler = { lines.append("\($0)") }
                #expect(lines.all.count == 1)
            }
        }

        @Test("writes one line to standard error by default")
        func defaultLog() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                _ = Promise<Int>(error: Fault("nobody saw me")).map { $0 + 1 }
                await DefaultExecutor.drain()
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            let words = "was deallocated before anything handled its error: nobody saw me"
            #expect(text.contains("Pledge: A rejected Promise<Int>") && text.contains(" \(words)\n"))
            #expect(text.components(separatedBy: "Pledge: ").count == 2)
        }
    }

#endif
