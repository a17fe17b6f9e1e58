import Pledge
import PledgeTestSupport
import Testing

@Suite("Operators for lists")
struct SequenceTests {
    private struct Day: Sendable, Equatable {
        let number: Int
        var mood: Int?
        var isSunny = false
    }

    private let numbers = Promise.value([3, 1, 2])
    private let none = Promise.value([Int]())
    private let days = Promise.value([Day(number: 1, mood: 5, isSunny: true), Day(number: 2)])

    @Test("mapValues transforms each element")
    func mapValues() async throws {
        #expect(try await numbers.mapValues { $0 * 2 }.value == [6, 2, 4])
        #expect(try await days.mapValues(\.number).value == [1, 2])
    }

    @Test("flatMapValues joins the lists that its closure returns for the elements")
    func flatMapValues() async throws {
        #expect(try await numbers.flatMapValues { [$0, $0] }.value == [3, 3, 1, 1, 2, 2])
    }

    @Test("compactMapValues omits nil")
    func compactMapValues() async throws {
        #expect(try await Promise.value(["1", "x", "3"]).compactMapValues { Int($0) }.value == [1, 3])
        #expect(try await days.compactMapValues(\.mood).value == [5])
        let moods: Guarantee<[Int]> = Guarantee.value([Day(number: 1, mood: 5), Day(number: 2)]).compactMapValues(
            \.mood)
        #expect(await moods.value == [5])
    }

    @Test("thenMap waits for a promise for each element, in order")
    func thenMap() async throws {
        let sources = [Source(String.self), Source(String.self), Source(String.self)]
        let promise = Promise.value([0, 1, 2]).thenMap { sources[$0].promise }
        sources[2].seal.fulfill("c")
        sources[0].seal.fulfill("a")
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        sources[1].seal.fulfill("b")
        #expect(try await promise.value == ["a", "b", "c"])
        #expect(try await none.thenMap { Promise.value($0) }.value.isEmpty)
    }

    @Test("thenFlatMap joins the lists of its promises")
    func thenFlatMap() async throws {
        #expect(try await numbers.thenFlatMap { Promise.value([$0, 0]) }.value == [3, 0, 1, 0, 2, 0])
    }

    @Test("filterValues keeps the matching elements")
    func filterValues() async throws {
        #expect(try await numbers.filterValues { $0 > 1 }.value == [3, 2])
        #expect(try await days.filterValues(\.isSunny).mapValues(\.number).value == [1])
        let sunny: Guarantee<[Day]> = Guarantee.value([Day(number: 1), Day(number: 2, isSunny: true)])
            .filterValues(\.isSunny)
        #expect(await sunny.value.map(\.number) == [2])
    }

    @Test("firstValue and lastValue are the first and last elements, and reject if there is none")
    func ends() async throws {
        #expect(try await numbers.firstValue.value == 3)
        #expect(try await numbers.lastValue.value == 2)
        #expect(try await numbers.firstValue(where: { $0 < 3 }).value == 1)
        await #expect(throws: PromiseError.emptySequence) { try await none.firstValue.value }
        await #expect(throws: PromiseError.emptySequence) { try await none.lastValue.value }
        await #expect(throws: PromiseError.emptySequence) { try await numbers.firstValue { $0 > 9 }.value }
    }

    @Test("sortedValues sorts the elements in ascending order")
    func sortedValues() async throws {
        #expect(try await numbers.sortedValues().value == [1, 2, 3])
    }

    @Test("Each operator rejects with the error that its closure throws")
    func throwing() async {
        await #expect(throws: Fault.one) { try await numbers.mapValues { _ -> Int in throw Fault.one }.value }
        await #expect(throws: Fault.one) { try await numbers.flatMapValues { _ -> [Int] in throw Fault.one }.value }
        await #expect(throws: Fault.one) { try await numbers.compactMapValues { _ -> Int? in throw Fault.one }.value }
        await #expect(throws: Fault.one) { try await numbers.thenMap { _ -> Promise<Int> in throw Fault.one }.value }
    }

    @Test("Each operator passes an error on")
    func errorPasses() async {
        let failed = Promise<[Int]>(error: Fault.one)
        await #expect(throws: Fault.one) { try await failed.mapValues { $0 }.value }
        await #expect(throws: Fault.one) { try await failed.thenMap { Promise.value($0) }.value }
        await #expect(throws: Fault.one) { try await failed.lastValue.value }
        await #expect(throws: Fault.one) { try await failed.sortedValues().value }
    }

    @Test("Each operator runs on the default executor or on the given queue")
    func queues() async throws {
        let (marked, one) = (MarkedQueue(), Promise.value([1]))
        #expect(try await one.mapValues { _ in DefaultExecutor.isCurrent }.value == [true])
        #expect(try await one.mapValues(on: marked.queue) { _ in marked.isCurrent }.value == [true])
        #expect(try await one.flatMapValues(on: marked.queue) { _ in [marked.isCurrent] }.value == [true])
        #expect(try await one.compactMapValues(on: marked.queue) { _ in marked.isCurrent }.value == [true])
        #expect(try await one.thenMap(on: marked.queue) { _ in Promise.value(marked.isCurrent) }.value == [true])
        #expect(try await one.thenFlatMap(on: marked.queue) { _ in Promise.value([marked.isCurrent]) }.value == [true])
        #expect(try await one.filterValues(on: marked.queue) { _ in marked.isCurrent }.value == [1])
        #expect(try await one.firstValue(on: marked.queue) { _ in marked.isCurrent }.value == 1)
        #expect(try await one.sortedValues(on: marked.queue).value == [1])
    }
}
