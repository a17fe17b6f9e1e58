#if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))

    import Dispatch
    import Pledge
    import PledgeTestSupport
    import Testing

    // The configuration applies to the whole process, so each of these tests runs in a process of its own.
    @Suite("The configuration")
    struct ConfigurationTests {
        @Test("By default, handlers run on the default queue and `catch` skips cancellation; the policy can be changed")
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

        @Test(
            "The configuration has one queue for handlers inside a chain and one for its end; nil runs handlers inline")
        func queues() async {
            await #expect(processExitsWith: .success) {
                _ = LogCapture.shared
                let (here, before) = (Places(), DispatchQueue(label: "before"))
                let (middle, end) = (here.middle.queue, here.end.queue)
                let queues = [
                    nil, (map: middle, return: end), (map: middle, return: .pledge), (map: .pledge, return: end),
                    (map: .pledge, return: .pledge),
                ]
                for queues in queues {
                    let places = (
                        queues?.map === middle ? "map" : "default", queues?.return === end ? "return" : "default"
                    )
                    if let queues { PromiseConfiguration.shared.queues = queues }
                    here.all.removeAll()
                    for place in [DispatchQueue.pledge, here.middle.queue, here.end.queue] {
                        try await Promise().map(on: place) { here(()) }.done(on: place) { here($0) }.value
                    }
                    #expect(here.all.all == ["default", "default", "map", "map", "return", "return"])
                    here.all.removeAll()
                    let value = Promise().map(on: before) { 1 }
                    let failed = value.map(on: before) { _ -> Int in throw Fault.one }
                    let sure = Guarantee().map(on: before) {}
                    let chained: [any Thenable] = [
                        value.map { here($0) }, value.compactMap { here($0) }, value.then { Promise.value(here($0)) },
                        value.get { _ = here($0) }, value.tap { _ = here($0) }, failed.mapError { here($0) },
                        failed.recover { _ in Promise.value(here(1)) },
                        failed.recover { _ in Guarantee.value(here(1)) },
                        failed.recover(only: Fault.self) { _ in Promise.value(here(1)) },
                        failed.recover(only: Fault.one) { _ in Promise.value(here(1)) },
                        value.map(on: before) { [$0] }.mapValues { here($0) },
                        sure.map { here($0) }, sure.then { Guarantee.value(here($0)) }, sure.get { here($0) },
                    ]
                    await Wait.until { !chained.contains(where: \.isPending) }
                    #expect(here.all.all == Array(repeating: places.0, count: chained.count))
                    here.all.removeAll()
                    let over = Guarantee<Void>.pending()
                    value.cauterize().finally { over.resolve(here(())) }
                    let ended: [any Thenable] = [
                        value.done { _ = here($0) }, value.ensure { here(()) }, failed.catch { _ = here($0) },
                        value.ensureThen { Guarantee.value(here(())) }, failed.catch(only: Fault.self) { _ = here($0) },
                        failed.catch(only: Fault.one) { _ = here($0) }, sure.done { here($0) }, over.guarantee,
                    ]
                    await Wait.until { !ended.contains(where: \.isPending) }
                    #expect(here.all.all == Array(repeating: places.1, count: ended.count))
                }
                PromiseConfiguration.shared.queues = (map: nil, return: nil)
                let ran = Counter()
                Promise.value(1).map { $0 + 1 }.done { _ in ran.increment() }.cauterize()
                #expect(ran.value == 1)
            }
        }

        /// Records where closures run. Each closure calls this value with its result.
        private struct Places {
            let middle = MarkedQueue("map")
            let end = MarkedQueue("return")
            let all = Recorder<String>()

            func callAsFunction<T>(_ result: T) -> T {
                let isDefault = DefaultExecutor.isCurrent
                all.append(middle.isCurrent ? "map" : end.isCurrent ? "return" : isDefault ? "default" : "elsewhere")
                return result
            }
        }

        @Test("A handler uses the configuration that was set when the handler was added")
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

        @Test("A handler on a configured queue still runs with its own flags")
        func flags() async {
            await #expect(processExitsWith: .success) {
                let queue = DispatchQueue(label: "many at a time", attributes: .concurrent)
                queue.suspend()
                PromiseConfiguration.shared.queues = (map: queue, return: .pledge)
                let events = Recorder<String>()
                let first = Promise().map {
                    // Waits for 200 blocks on a global queue. Without its barrier flag, the second handler would run
                    // meanwhile, because it was submitted before these blocks.
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

        @Test("The log handler can be replaced even if deallocating the earlier handler logs something")
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

        @Test("By default, the log of an unhandled error is one line on standard error")
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
