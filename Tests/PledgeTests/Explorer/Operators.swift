import Dispatch
import Pledge
import PledgeTestSupport

extension Operator {
    /// At least one entry for each public operator. An operator whose closure returns a promise usually has two entries. In one
    /// of them, the closure returns a promise that other code waits for.
    static let all = ofPromises + cleanups + ofErrors + combinators + ofSequences + ofGuarantees

    /// Symbols that begin a chain.
    static let beginnings = [
        "Promise.value()", "Promise.value", "Promise.pending()", "Guarantee.value()",
        "DispatchQueue.async(group:qos:execute:)", "onMain()",
    ]

    private static let ofPromises: [Operator] = [
        .promise("Thenable.map()") { up, lab, once in up.map(on: lab.queue) { once($0) } },
        .promise("Thenable.compactMap()") { up, lab, once in up.compactMap(on: lab.queue) { once(Optional($0)) } },
        .promise("Thenable.then()") { up, lab, once in up.then(on: lab.queue) { once(Promise.value($0)) } },
        .promise("Thenable.then()") { up, lab, once in
            up.then(on: lab.queue) { [other = lab.others.promise] _ in once(other) }
        },
        .promise("Thenable.then()", "after(seconds:)", "after()") { up, lab, once in
            up.then(on: lab.queue) { [time = lab.time.timekeeper] value in
                once(after(.seconds(1), timekeeper: time).map(on: nil) { value })
            }
        },
        .promise("Thenable.done()") { up, lab, once in up.done(on: lab.queue) { _ in once(()) }.map(on: nil) { 0 } },
        .promise("Thenable.get()") { up, lab, once in up.get(on: lab.queue) { _ in once(()) } },
        .promise("Thenable.tap()") { up, lab, once in up.tap(on: lab.queue) { _ in once(()) } },
        .promise("Thenable.asVoid()") { up, _, _ in up.asVoid().map(on: nil) { 0 } },
        .promise("Thenable.timeout(seconds:)") { up, lab, _ in up.timeout(seconds: 9, timekeeper: lab.time.timekeeper)
        },
        .promise("Thenable.shared()", isolates: true) { up, _, _ in up.shared() },
        .promise("Promise.init()") { up, _, _ in Promise(up) },
        .promise("Resolver.follow()") { up, _, _ in Promise { $0.follow(up) } },
        .promise("firstly(execute:)") { up, _, _ in firstly { up }.get(on: nil) { _ in } },
        .promise("retry(attempts:delay:if:)", isPlaced: false) { up, _, once in
            // If the first attempt fails, the closure runs a second time, which must not be recorded.
            retry(attempts: 2) { [once = Locked<Lab.Once?>(once)] in once.withLock { $0.take() }.map { $0(up) } ?? up }
        },
    ]

    private static let cleanups: [Operator] = [
        .cleanup("Thenable.ensure()", "Thenable.finally()") { up, lab, once in up.ensure(on: lab.queue) { once(()) } },
        .cleanup("Thenable.ensureThen()") { up, lab, once in
            up.ensureThen(on: lab.queue) { [queue = lab.queue] in Guarantee().map(on: queue) { once(()) } }
        },
    ]

    private static let ofErrors: [Operator] = [
        .promise("Thenable.recover()") { up, lab, once in
            up.recover(on: lab.queue) { [other = lab.others.promise] _ in once(other) }
        },
        .promise("Thenable.recover()") { up, lab, once in
            up.recover(on: lab.queue, policy: .allErrors) { once(Promise<Int>(error: $0)) }
        },
        .promise("Thenable.recover(only:)") { up, lab, once in
            up.recover(only: Fault.self, on: lab.queue) { _ in once(Promise.value(1)) }
        },
        .sure("Thenable.recover()") { up, lab, once in up.recover(on: lab.queue) { _ in once(Guarantee.value(1)) } },
        .sure("Thenable.recover()") { up, lab, once in
            up.recover(on: lab.queue) { [other = lab.othersGuarantee] _ in once(other) }
        },
        .promise("Thenable.mapError()") { up, lab, once in up.mapError(on: lab.queue) { once($0) } },
        .promise("Thenable.catch()") { up, lab, once in
            up.catch(on: lab.queue, policy: .allErrors) { _ in once(()) }.map(on: nil) { 0 }
        },
        .promise("Thenable.catch(only:)") { up, lab, once in
            up.catch(only: Fault.self, on: lab.queue) { _ in once(()) }.map(on: nil) { 0 }
        },
        .promise("Thenable.cauterize()") { up, _, _ in
            up.mapError(on: nil) { _ in PromiseError.cancelled }.cauterize().map(on: nil) { 0 }
        },
        .sure("Thenable.settled()") { up, _, _ in up.settled().map(on: nil) { (try? $0.get()) ?? 2 } },
    ]

    private static let combinators: [Operator] = [
        .promise("when(fulfilled:)") { up, lab, _ in
            when(fulfilled: [up, lab.others.promise]).map(on: nil) { $0[0] }
        },
        .promise("when(fulfilled:)") { up, _, _ in when(fulfilled: up, up, up, up, up).map(on: nil) { $0.0 } },
        .promise("when(fulfilled:)") { up, lab, _ in
            let pair = when(fulfilled: lab.others.promise, up)
            return when(fulfilled: pair, pair, pair).map(on: nil) { $0.0.1 }
        },
        .sure("when(resolved:)") { up, lab, _ in when(resolved: [up, lab.others.promise]).map(on: nil) { $0.count } },
        .sure("when(resolved:)") { up, _, _ in when(resolved: up, up).map(on: nil) { $0.count } },
        .promise("when(fulfilled:concurrently:)") { up, lab, _ in
            when(fulfilled: [up, lab.others.promise], concurrently: 2) { $0 }.map(on: nil) { $0[0] }
        },
        .sure("when(resolved:concurrently:)") { up, lab, _ in
            when(resolved: [up, lab.others.promise], concurrently: 1) { $0 }.map(on: nil) { $0.count }
        },
        .promise("race()") { up, lab, _ in race([up, lab.others.promise]) },
        .promise("race()") { up, _, _ in race(up, up) },
        .promise("race(fulfilled:)") { up, lab, _ in race(fulfilled: lab.others.promise, up) },
        .promise("race(fulfilled:)") { up, _, _ in race(fulfilled: [up, Promise(error: Fault.one)]) },
    ]

    private static let ofSequences: [Operator] = [
        .list("Thenable.mapValues()") { up, lab, once in up.mapValues(on: lab.queue) { once($0) } },
        .list("Thenable.flatMapValues()") { up, lab, once in up.flatMapValues(on: lab.queue) { once([$0]) } },
        .list("Thenable.compactMapValues()") { up, lab, once in
            up.compactMapValues(on: lab.queue) { once(Optional($0)) }
        },
        .list("Thenable.filterValues()") { up, lab, once in up.filterValues(on: lab.queue) { _ in once(true) } },
        .list("Thenable.firstValue(where:)") { up, lab, once in up.firstValue(on: lab.queue) { _ in once(true) } },
        .list("Thenable.firstValue") { up, _, _ in up.firstValue },
        .list("Thenable.lastValue") { up, _, _ in up.lastValue },
        .list("Thenable.sortedValues()") { up, lab, _ in up.sortedValues(on: lab.queue) },
        .list("Thenable.thenMap()") { up, lab, once in
            up.thenMap(on: lab.queue) { [other = lab.others.promise] _ in once(other) }
        },
        .list("Thenable.thenFlatMap()") { up, lab, once in up.thenFlatMap(on: lab.queue) { once(Promise.value([$0])) }
        },
    ]
}
