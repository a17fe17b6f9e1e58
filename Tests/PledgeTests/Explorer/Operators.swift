import Dispatch
import Pledge
import PledgeTestSupport

extension Operator {
    /// One for each public operator. A closure that returns a promise returns somebody else's in every second row.
    static let all = ofPromises + cleanups + ofErrors + combinators + ofSequences + ofGuarantees

    /// Symbols that begin a chain.
    static let beginnings = [
        "Promise.value()", "Promise.value", "Promise.pending()", "Guarantee.value()",
        "DispatchQueue.async(group:qos:execute:)", "onMain()",
    ]

    private static let ofPromises: [Operator] = [
        Operator("Thenable.map()", of: { up, lab in up.map(on: lab.queue) { [once = lab.closure()] in once($0) } }),
        Operator(
            "Thenable.compactMap()",
            of: { up, lab in up.compactMap(on: lab.queue) { [once = lab.closure()] in once(Optional($0)) } }),
        Operator(
            "Thenable.then()",
            of: { up, lab in up.then(on: lab.queue) { [once = lab.closure()] in once(Promise.value($0)) } }),
        Operator(
            "Thenable.then()",
            of: { up, lab in
                up.then(on: lab.queue) { [once = lab.closure(), other = lab.others.promise] _ in once(other) }
            }),
        Operator(
            "Thenable.then()", "after(seconds:)", "after()",
            of: { up, lab in
                up.then(on: lab.queue) { [once = lab.closure(), time = lab.time.timekeeper] value in
                    once(after(.seconds(1), timekeeper: time).map(on: nil) { value })
                }
            }),
        Operator(
            "Thenable.done()",
            of: { up, lab in
                up.done(on: lab.queue) { [once = lab.closure()] _ in once(()) }.map(on: nil) { 0 }
            }),
        Operator("Thenable.get()", of: { up, lab in up.get(on: lab.queue) { [once = lab.closure()] _ in once(()) } }),
        Operator("Thenable.tap()", of: { up, lab in up.tap(on: lab.queue) { [once = lab.closure()] _ in once(()) } }),
        Operator("Thenable.asVoid()", of: { up, _ in up.asVoid().map(on: nil) { 0 } }),
        Operator(
            "Thenable.timeout(seconds:)", of: { up, lab in up.timeout(seconds: 9, timekeeper: lab.time.timekeeper) }),
        Operator("Thenable.shared()", isolates: true, of: { up, _ in up.shared() }),
        Operator("Promise.init()", of: { up, _ in Promise(up) }),
        Operator("Resolver.follow()", of: { up, _ in Promise { $0.follow(up) } }),
        Operator("firstly(execute:)", of: { up, _ in firstly { up }.get(on: nil) { _ in } }),
        Operator(
            "retry(attempts:delay:if:)",
            of: { up, lab in
                retry(attempts: 2) { [once = Locked<Lab.Once?>(lab.closure())] in
                    // Made twice, if the first attempt fails.
                    once.withLock { $0.take() }.map { $0(up) } ?? up
                }
            }),
    ]

    private static let cleanups: [Operator] = [
        Operator(
            "Thenable.ensure()", "Thenable.finally()",
            of: { up, lab in
                let once = lab.cleanup()
                return up.ensure(on: lab.queue) { once(()) }
            }),
        Operator(
            "Thenable.ensureThen()",
            of: { up, lab in
                let once = lab.cleanup()
                return up.ensureThen(on: lab.queue) { [queue = lab.queue] in Guarantee().map(on: queue) { once(()) } }
            }),
    ]

    private static let ofErrors: [Operator] = [
        Operator(
            "Thenable.recover()",
            of: { up, lab in
                up.recover(on: lab.queue) { [once = lab.closure(), other = lab.others.promise] _ in once(other) }
            }),
        Operator(
            "Thenable.recover()",
            of: { up, lab in
                up.recover(on: lab.queue, policy: .allErrors) { [once = lab.closure()] in once(Promise<Int>(error: $0))
                }
            }),
        Operator(
            "Thenable.recover(only:)",
            of: { up, lab in
                up.recover(only: Fault.self, on: lab.queue) { [once = lab.closure()] _ in once(Promise.value(1)) }
            }),
        Operator(
            "Thenable.recover()",
            apply: { up, lab in
                .guarantee(up.promise.recover(on: lab.queue) { [once = lab.closure()] _ in once(Guarantee.value(1)) })
            }),
        Operator(
            "Thenable.recover()",
            apply: { up, lab in
                .guarantee(
                    up.promise.recover(on: lab.queue) { [once = lab.closure(), other = lab.othersGuarantee] _ in
                        once(other)
                    })
            }),
        Operator(
            "Thenable.mapError()", of: { up, lab in up.mapError(on: lab.queue) { [once = lab.closure()] in once($0) } }),
        Operator(
            "Thenable.catch()",
            of: { up, lab in
                up.catch(on: lab.queue, policy: .allErrors) { [once = lab.closure()] _ in once(()) }.map(on: nil) { 0 }
            }),
        Operator(
            "Thenable.catch(only:)",
            of: { up, lab in
                up.catch(only: Fault.self, on: lab.queue) { [once = lab.closure()] _ in once(()) }.map(on: nil) { 0 }
            }),
        Operator(
            "Thenable.cauterize()",
            of: { up, lab in
                up.mapError(on: nil) { _ in PromiseError.cancelled }.cauterize().map(on: nil) { 0 }
            }),
        Operator(
            "Thenable.settled()",
            apply: { up, _ in
                .guarantee(up.promise.settled().map(on: nil) { (try? $0.get()) ?? 2 })
            }),
    ]

    private static let combinators: [Operator] = [
        Operator(
            "when(fulfilled:)", of: { up, lab in when(fulfilled: [up, lab.others.promise]).map(on: nil) { $0[0] } }),
        Operator("when(fulfilled:)", of: { up, lab in when(fulfilled: up, up, up, up, up).map(on: nil) { $0.0 } }),
        Operator(
            "when(fulfilled:)",
            of: { up, lab in
                let pair = when(fulfilled: lab.others.promise, up)
                return when(fulfilled: pair, pair, pair).map(on: nil) { $0.0.1 }
            }),
        Operator(
            "when(resolved:)",
            apply: { up, lab in
                .guarantee(when(resolved: [up.promise, lab.others.promise]).map(on: nil) { $0.count })
            }),
        Operator(
            "when(resolved:)",
            apply: { up, lab in
                .guarantee(when(resolved: up.promise, up.promise).map(on: nil) { $0.count })
            }),
        Operator(
            "when(fulfilled:concurrently:)",
            of: { up, lab in
                when(fulfilled: [up, lab.others.promise], concurrently: 2) { $0 }.map(on: nil) { $0[0] }
            }),
        Operator(
            "when(resolved:concurrently:)",
            apply: { up, lab in
                .guarantee(
                    when(resolved: [up.promise, lab.others.promise], concurrently: 1) { $0 }.map(on: nil) { $0.count })
            }),
        Operator("race()", of: { up, lab in race([up, lab.others.promise]) }),
        Operator("race()", of: { up, _ in race(up, up) }),
        Operator("race(fulfilled:)", of: { up, lab in race(fulfilled: lab.others.promise, up) }),
        Operator("race(fulfilled:)", of: { up, _ in race(fulfilled: [up, Promise(error: Fault.one)]) }),
    ]

    private static func lists<Made: Sendable>(
        _ symbol: String, _ make: @escaping @Sendable (Promise<[Int]>, Lab, Lab.Once) -> Promise<Made>
    ) -> Operator {
        Operator(
            symbol,
            of: { up, lab in
                make(up.map(on: nil) { [$0] }, lab, lab.closure()).map(on: nil) { _ in 0 }
            })
    }

    private static let ofSequences: [Operator] = [
        lists("Thenable.mapValues()") { up, lab, once in up.mapValues(on: lab.queue) { once($0) } },
        lists("Thenable.flatMapValues()") { up, lab, once in up.flatMapValues(on: lab.queue) { once([$0]) } },
        lists("Thenable.compactMapValues()") { up, lab, once in
            up.compactMapValues(on: lab.queue) { once(Optional($0)) }
        },
        lists("Thenable.filterValues()") { up, lab, once in up.filterValues(on: lab.queue) { _ in once(true) } },
        lists("Thenable.firstValue(where:)") { up, lab, once in up.firstValue(on: lab.queue) { _ in once(true) } },
        lists("Thenable.firstValue") { up, _, _ in up.firstValue },
        lists("Thenable.lastValue") { up, _, _ in up.lastValue },
        lists("Thenable.sortedValues()") { up, lab, _ in up.sortedValues(on: lab.queue) },
        lists("Thenable.thenMap()") { up, lab, once in
            up.thenMap(on: lab.queue) { [other = lab.others.promise] _ in once(other) }
        },
        lists("Thenable.thenFlatMap()") { up, lab, once in up.thenFlatMap(on: lab.queue) { once(Promise.value([$0])) }
        },
    ]
}
