import Pledge
import PledgeTestSupport
import Testing

/// Where the closures of operators run if they are given a queue is checked in the random programs.
@Suite("The closure of an operator runs")
struct PlaceTests {
    private let marked = MarkedQueue()
    private let places = Recorder<Bool>()

    @Test("on the default executor if it is given no queue, whatever the queue of the one before")
    func unsaid() async {
        let places = places
        @Sendable func here<T>(_ value: T) -> T {
            places.append(DefaultExecutor.isCurrent)
            return value
        }
        let value = Promise().map(on: marked.queue) { 1 }
        let failed = value.map(on: marked.queue) { _ -> Int in throw Fault.one }
        let sure = Guarantee().map(on: marked.queue) {}
        let handled: [any Thenable] = [
            value.map { here($0) }, value.compactMap { here($0) }, value.then { Promise.value(here($0)) },
            value.done { _ = here($0) }, value.get { _ = here($0) }, value.tap { _ = here($0) },
            value.ensure { here(()) }, value.ensureThen { Guarantee.value(here(())) },
            failed.catch { _ = here($0) }, failed.catch(only: Fault.self) { _ = here($0) },
            failed.catch(only: Fault.one) { _ = here($0) }, failed.mapError { here($0) },
            failed.recover { _ in Promise.value(here(1)) }, failed.recover { _ in Guarantee.value(here(1)) },
            failed.recover(only: Fault.self) { _ in Promise.value(here(1)) },
            failed.recover(only: Fault.one) { _ in Promise.value(here(1)) },
            value.map(on: marked.queue) { [$0] }.mapValues { here($0) },
            sure.map { here($0) }, sure.then { Guarantee.value(here($0)) }, sure.done { here($0) },
            sure.get { here($0) },
        ]
        value.cauterize().finally { here(()) }
        _ = await failed.outcome()
        await DefaultExecutor.drain()
        await marked.drain()
        await DefaultExecutor.drain()
        #expect(places.all == Array(repeating: true, count: handled.count + 1))
    }
}
