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
    private let days = Promise.value([Day(number: 1, mood: 5, isSunny: true), Day(number: 2)])

    @Test("mapValues, flatMapValues, compactMapValues, and filterValues work as on an Array, also with key paths")
    func elements() async throws {
        #expect(try await numbers.mapValues { $0 * 2 }.value == [6, 2, 4])
        #expect(try await days.mapValues(\.number).value == [1, 2])
        #expect(try await numbers.flatMapValues { [$0, $0] }.value == [3, 3, 1, 1, 2, 2])
        #expect(try await Promise.value(["1", "x", "3"]).compactMapValues { Int($0) }.value == [1, 3])
        #expect(try await days.compactMapValues(\.mood).value == [5])
        #expect(try await numbers.filterValues { $0 > 1 }.value == [3, 2])
        #expect(try await days.filterValues(\.isSunny).mapValues(\.number).value == [1])
        let sure = Guarantee.value([Day(number: 1, mood: 5), Day(number: 2, isSunny: true)])
        let (moods, sunny): (Guarantee<[Int]>, Guarantee<[Day]>) = (
            sure.compactMapValues(\.mood), sure.filterValues(\.isSunny)
        )
        #expect(await moods.value == [5])
        #expect(await sunny.value.map(\.number) == [2])
    }

    @Test("thenMap waits for the promises of all elements and keeps the order; thenFlatMap joins the resulting lists")
    func thenMap() async throws {
        let sources = [Source(String.self), Source(String.self), Source(String.self)]
        let promise = Promise.value([0, 1, 2]).thenMap { sources[$0].promise }
        sources[2].seal.fulfill("c")
        sources[0].seal.fulfill("a")
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        sources[1].seal.fulfill("b")
        #expect(try await promise.value == ["a", "b", "c"])
        #expect(try await Promise.value([Int]()).thenMap { Promise.value($0) }.value.isEmpty)
        #expect(try await numbers.thenFlatMap { Promise.value([$0, 0]) }.value == [3, 0, 1, 0, 2, 0])
    }

    @Test(
        "If its closure throws, thenMap stops there, and handles the errors of the promises that it already waits for")
    func thenMapThrows() async {
        let (calls, fault) = (Counter(), Fault("thenMap-\(#line)"))
        for isOnMain in [false, true] {
            let source = Source(Int.self)
            let transform: @Sendable (Int) throws -> Promise<Int> = { _ in
                guard calls.next() % 2 == 1 else { throw Fault.one }
                return source.promise
            }
            let promise = isOnMain ? numbers.onMain.thenMap(transform).promise : numbers.thenMap(transform)
            await #expect(throws: Fault.one) { try await promise.value }
            #expect(source.promise.isPending && calls.value == (isOnMain ? 4 : 2))
            source.seal.reject(fault)
        }
        #expect(LogCapture.shared.unhandled(fault).isEmpty)
    }

    @Test(
        "firstValue and lastValue return the first or last element, or reject if there is none; sortedValues sorts")
    func ends() async throws {
        let none = Promise.value([Int]())
        #expect(try await numbers.firstValue.value == 3)
        #expect(try await numbers.lastValue.value == 2)
        #expect(try await numbers.firstValue(where: { $0 < 3 }).value == 1)
        #expect(try await numbers.sortedValues().value == [1, 2, 3])
        for promise in [none.firstValue, none.lastValue, numbers.firstValue { $0 > 9 }] {
            await #expect(throws: PromiseError.emptySequence) { try await promise.value }
        }
    }
}
