@testable import Pledge
import PledgeTestSupport

extension ScheduleProgram {
    /// Chains that wait for the first promise. Some of them also wait for the second promise, which goes on.
    private static let waiters: [@Sendable (Promise<Int>, Promise<Int>) -> Promise<Int>] = [
        { promise, _ in promise.map { $0 } }, { when(fulfilled: [$0, $1]).map { $0[0] } }, { race($0, $1) },
        { promise, _ in promise.settled().then { _ in Promise.value(1) } },
        { when(resolved: [$0, $1]).then { Promise.value($0.count) } },
        { when(resolved: [race([$0, $0.map { $0 }]), $1]).then { Promise.value($0.count) } },
        { when(fulfilled: [$0, $1].makeIterator(), concurrently: 2).map { $0[0] } },
        { race([$0, $0]).recover { [others = $1] _ in others.recover { _ in Guarantee.value(0) } }._promise },
    ]

    /// Programs with cleanups above and below the chain that is canceled.
    private static let cleanups = [(nil, 0), (queues[2], 0), (nil, 1), (nil, 2)].flatMap { queue, event in
        waiters.map { wait in
            Self("a canceled end settles after the cleanups, each of which runs once, and others go on") { schedule in
                let (mine, others, events) = (Source(Int.self), Source(Int.self), Recorder<String>())
                let other = others.promise.map(on: nil) { $0 }
                let waiting = wait(mine.promise.ensure(on: queue) { events.append("above") }, others.promise)
                let end = waiting.ensure(on: nil) { events.append("below") }
                end.pipe { _ in events.append("end") }
                schedule.drain()
                let settle = [
                    { mine.seal.reject(Fault.one) }, { others.seal.fulfill(1) }, { others.seal.reject(Fault.one) },
                ]
                schedule.run([{ end.cancel() }, settle[event]])
                // If the other promise has won a race, nothing cancels `mine`, so the cleanup above may not have run.
                let order = events.all.drop { event > 0 && $0 == "above" }
                return !end.isPending && order == (event > 0 ? ["below", "end"] : ["above", "below", "end"])
                    && other.isPending == (event == 0) && others.promise._handlerCount <= 2
            }
        }
    }

    private static let sharedCleanups = queues.map { queue in
        Self("an ensure whose source goes on runs once") { schedule in
            let (source, runs) = (Source(Int.self), Counter())
            let other = source.promise.map(on: nil) { $0 }
            let end = source.promise.ensure(on: queue) { runs.increment() }.map(on: nil) { $0 }
            schedule.run([{ end.cancel() }, { if !end.isPending { source.seal.fulfill(1) } }])
            let isOver = end.isRejected && runs.value == 1
            source.seal.fulfill(1)
            schedule.drain()
            return isOver && runs.value == 1 && other.isFulfilled && source.stopCount == 0
        }
    }

    private static let releases = [true, false].map { isCanceled in
        Self("what is canceled below a guarantee that goes on, or was canceled before, is not kept") { schedule in
            let (objects, (start, resolve)) = (LiveObjects(), Guarantee<Int>.pending())
            let other = isCanceled ? nil : start.map(on: nil) { $0 }
            if isCanceled { start.cancel() }
            func cancel(_ count: Int) {
                (0..<count).reduce(start) { end, _ in objects.watch(end.map(on: nil) { $0 }, "below") }.cancel()
            }
            schedule.run([{ cancel(1) }, { cancel(2) }])
            defer { resolve(1) }
            return objects.survivors.isEmpty && start._handlerCount == (other == nil ? 0 : 1)
        }
    }

    private static let throttled = [true, false].map { isCanceled in
        Self("a when(concurrently:) that is over creates nothing more, and if canceled, cancels the rest") { schedule in
            let (sources, made) = ((0..<6).map { _ in Source(Int.self) }, Counter())
            let all = when(fulfilled: sources, concurrently: 2) { source in
                made.increment()
                return source.promise
            }
            if !isCanceled { schedule.drain() }
            let isWithinLimit = made.value <= 2
            schedule.run(
                isCanceled
                    ? [{ all.cancel() }]
                    : [{ sources[0].seal.reject(Fault.one) }, { sources[1].seal.fulfill(1) }])
            let count = made.value
            sources.forEach { $0.seal.fulfill(1) }
            schedule.drain()
            return isWithinLimit && made.value == count && all.isRejected
                && sources.enumerated().allSatisfy { $1.stopCount == (isCanceled && $0 < count ? 1 : 0) }
        }
    }

    private static let timeouts = [true, false].map { isClean in
        Self("a timeout is exceeded only if the outcome has not come in time, and waits for no cleanup") { schedule in
            let (time, source, (work, finish)) = (ManualTimekeeper(), Source(Int.self), Guarantee<Void>.pending())
            if isClean { finish(()) }
            defer { finish(()) }
            let cleaned = source.promise.ensureThen(on: nil) { work }
            let output = cleaned.timeout(seconds: 1, timekeeper: time.timekeeper)
            var isInTime = false
            schedule.run([
                { source.seal.fulfill(1) },
                {
                    isInTime = cleaned.isResolved
                    time.advance(by: 1)
                },
            ])
            return output.isResolved && (output.isFulfilled || !isInTime) && time.alarmCount == 0
        }
    }

    private static let dependents = [true, false].map { isShared in
        Self("a source stops once, when all that wait for it are canceled, unless they share it") { schedule in
            let source = Source(Int.self)
            let ends = (0..<3).map { _ in isShared ? source.promise.shared() : source.promise.map { $0 } }
            schedule.run(ends.map { end in { end.cancel() } })
            return source.stopCount == (isShared ? 0 : 1) && source.promise.isPending == isShared
        }
    }

    private static let circles: [@Sendable (Promise<Int>) -> Promise<Int>] = [
        { when(fulfilled: [$0, .value(1)]).map(on: nil) { $0[0] } }, { race($0, $0).then { Promise.value($0) } },
    ]

    private static let circling = circles.map { descend in
        Self("a circle ends with a cancel, and is released") { schedule in
            let (start, itself) = (Source(Int.self), Locked<Promise<Int>?>(nil))
            let first = start.promise.then(on: nil) { _ in itself.withLock { $0.take() } ?? .value(0) }
            let end = descend(first)
            itself.withLock { $0 = end }
            schedule.run([{ start.seal.fulfill(1) }, { end.cancel() }])
            return first.isRejected && end.isRejected
        }
    }

    /// Promises that depend on a start. Later, the start follows the last of these promises, which closes a circle.
    private static let members: [@Sendable (Promise<Int>, Counter) -> [Promise<Int>]] = [
        { start, _ in [start.map(on: nil) { $0 }] },
        { start, _ in [start.shared()] },
        { start, _ in
            let next = start.map(on: nil) { $0 }
            return [next, race(next, Source(Int.self).promise)]
        },
        { start, cleanups in
            let next = start.ensure(on: nil) { cleanups.increment() }
            return [next, next.map(on: nil) { $0 }]
        },
        { start, cleanups in
            let next = start.map(on: nil) { $0 }
            return [next, next.ensure { cleanups.increment() }]
        },
        { start, cleanups in
            let next = start.recover(on: nil) { _ in Guarantee.value(1) }
            return [next._promise, Promise(next).ensure(on: nil) { cleanups.increment() }]
        },
        { start, cleanups in
            let next = start.ensureThen(on: nil) {
                cleanups.increment()
                return Guarantee()
            }
            return [next, when(resolved: [start, next]).then(on: nil) { _ in Promise.value(1) }]
        },
        { start, cleanups in
            let next = start.map(on: nil) { $0 }
            return [next, when(fulfilled: next.ensure(on: nil) { cleanups.increment() }, next).map(on: nil) { $0.0 }]
        },
        { start, cleanups in
            let next = when(fulfilled: [start], concurrently: 1) { $0 }.firstValue
            return [next, next.ensure(on: nil) { cleanups.increment() }]
        },
    ]

    /// Programs with two cancels in a circle. The first cancel is at the circle's end. The second is at its start, below the
    /// start, or inside the circle. In a fourth kind of program, both ends are canceled at the moment when the circle closes.
    private static let circlesAtOnce = members.indices.flatMap { number in
        [0, 1, 2, 3].map { kind in
            Self("a circle ends with any cancel, its cleanup runs once, and it is released") { schedule in
                let (objects, cleanups) = (LiveObjects(), Counter())
                var hasEnded = false
                do {
                    let (start, seal) = Promise<Int>.pending()
                    let all = [start] + members[number](start, cleanups)
                    for (index, member) in all.enumerated() { objects.watch(member, "\(index)") }
                    schedule.drain()
                    let (last, below) = (all[all.count - 1], start.map(on: nil) { $0 })
                    if kind < 3 { seal.follow(last) }
                    let other = [start, below, all[1], start][kind]
                    schedule.run([{ last.cancel() }, { other.cancel() }] + (kind < 3 ? [] : [{ seal.follow(last) }]))
                    hasEnded = all.allSatisfy(\.isResolved)
                }
                return hasEnded && objects.survivors.isEmpty && cleanups.value <= 1
            }
        }
    }

    private static let belowGuarantees = queues.map { queue in
        Self("an ensure below a guarantee that goes on runs and ends, also if both are canceled at once") { schedule in
            let (source, cleanups) = (Source(Int.self), Counter())
            let other = source.promise.map(on: nil) { $0 }
            let guarantee = source.promise.recover(on: nil) { _ in Guarantee.value(1) }.map(on: nil) { $0 }
            let end = Promise(guarantee).ensure(on: queue) { cleanups.increment() }
            schedule.run([{ guarantee.cancel() }, { end.cancel() }])
            let hasEnded = end.isRejected && cleanups.value == 1 && other.isPending
            source.seal.fulfill(1)
            return hasEnded
        }
    }

    private static let follows: [Self] = [
        Self("of two promises, a resolver follows one") { schedule in
            let (follower, others) = (Source(Int.self), (0..<2).map { _ in Source(Int.self) })
            schedule.run(others.map { other in { follower.seal.follow(other.promise) } })
            let followed = others.filter { $0.promise._handlerCount == 1 }
            followed.first?.seal.fulfill(1)
            return followed.count == 1 && follower.promise.isFulfilled
        },
        Self("a resolver that follows and fulfills at once does one of both") { schedule in
            let (follower, other) = (Source(Int.self), Source(Int.self))
            schedule.run([{ follower.seal.follow(other.promise) }, { follower.seal.fulfill(1) }])
            let value = follower.promise.isPending ? 2 : 1
            other.seal.fulfill(2)
            return follower.promise.result.map { "\($0)" } == "success(\(value))"
        },
        Self("a cancel reaches what a resolver follows, before and after") { schedule in
            let (follower, other) = (Source(Int.self), Source(Int.self))
            schedule.run([{ follower.seal.follow(other.promise) }, { follower.promise.cancel() }])
            return other.stopCount == 1 && follower.stopCount == 1
        },
        Self("a resolver that follows is canceled with the other, and its hooks run once") { schedule in
            let (follower, other) = (Source(Int.self), Source(Int.self))
            let waiting = other.promise.map(on: nil) { $0 }
            follower.seal.follow(waiting)
            schedule.run([{ other.promise.cancel() }, { follower.promise.cancel() }])
            return follower.stopCount == 1 && follower.seal.isCancelled && other.stopCount == 1
        },
    ]

    private typealias Closure = @Sendable (Int) -> Promise<Int>

    private static let adoptions: [@Sendable (Promise<Int>, @escaping Closure) -> Promise<Int>] = [
        { $0.then($1) }, { start, make in start.then { number in Promise().then { make(number) } } },
        { start, make in start.then { _ in Promise<Int>(error: Fault.one) }.recover { _ in make(1) } },
        { start, make in start.map { [$0] }.thenMap(make).firstValue },
    ]

    private static let adopting = adoptions.map { adopt in
        Self("a cancel reaches the promise that a closure returns, and keeps nothing of it") { schedule in
            let (start, objects, runs, stops) = (Source(Int.self), LiveObjects(), Counter(), Counter())
            let outer = adopt(start.promise) { _ in
                runs.increment()
                let inner = Source(Int.self)
                inner.seal.onCancel {
                    stops.increment()
                    _ = inner
                }
                return objects.watch(inner.promise, "inner")
            }
            schedule.run([{ start.seal.fulfill(1) }, { outer.cancel() }])
            return objects.survivors.isEmpty && outer.isRejected && stops.value == runs.value
        }
    }

    private static let wrappers: [@Sendable (Promise<Int>, Resolver<Int>) -> Promise<Void>] = [
        { request, seal in request.map(on: nil) { seal.fulfill($0) } },
        { request, seal in request.done { seal.fulfill($0) }.catch { seal.reject($0) } },
        { request, seal in request.done { seal.fulfill($0) }.catch { _ in } },
        { request, seal in request.map { $0 }.done(on: nil) { seal.fulfill($0) }.catch(on: nil) { seal.reject($0) } },
        { request, seal in request.done { seal.fulfill($0) }.catch(only: Fault.self) { seal.reject($0) }.cauterize() },
    ]

    private static let wrapping = wrappers.flatMap { wrap in
        [true, false].map { isAbove in
            Self("a resolver that goes with a canceled chain rejects as canceled") { schedule in
                let source = Source(Int.self)
                var chain: Promise<Void>?
                let wrapped = Promise { seal in chain = wrap(source.promise, seal) }
                schedule.run([
                    { if isAbove { source.promise.cancel() } else { chain?.cancel() } }, { source.seal.fulfill(1) },
                ])
                return wrapped.isFulfilled || wrapped.error?.isCancelled == true
            }
        }
    }

    static let ends =
        cleanups + sharedCleanups + releases + throttled + timeouts + dependents + circling + circlesAtOnce
        + belowGuarantees
        + follows
        + adopting + wrapping + single

    private static let single: [Self] = [
        Self("a guarantee that is due has its value, even if nothing holds it") { schedule in
            let ((source, resolve), runs) = (Guarantee<Int>.pending(), Counter())
            let other = source.map(on: nil) { $0 }
            var guarantee: Guarantee<Void>? = source.map { _ in runs.increment() }
            guarantee?.cancel()
            schedule.run([
                {
                    resolve(1)
                    guarantee = nil
                }
            ])
            return other.isResolved && runs.value == 1
        },
        Self("an inline handler may wait for one of a queue, and stays a step") { schedule in
            let (source, other, last) = (Source(Int.self), Source(Int.self), Source(Int.self))
            // `doubled` depends on a promise that the handler itself settles.
            let ((own, seal), events) = (Promise<Int>.pending(), Recorder<Int>())
            let doubled = own.map(on: nil) { $0 * 2 }
            last.promise.done(on: nil) { events.append($0) }.cauterize()
            source.promise.done(on: nil) { _ in
                events.append(try other.promise.wait())
                seal.fulfill(2)
                events.append(try doubled.wait())
                last.seal.fulfill(3)
                events.append(2)
            }.cauterize()
            source.promise.done { other.seal.fulfill($0) }.cauterize()
            schedule.run([{ source.seal.fulfill(1) }])
            return events.all == [1, 4, 2, 3]
        },
    ]
}
