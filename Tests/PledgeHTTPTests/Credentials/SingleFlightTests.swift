import PledgeHTTP
import PledgeTestSupport
import Testing

@Suite("Sharing one piece of work")
struct SingleFlightTests {
    @Test("A known value makes the work unnecessary, but only while none is in progress")
    func known() async throws {
        let (flight, work) = (SingleFlight<Int>(), Source(Int.self))

        #expect(try await flight.join(unless: { .value(1) }) { work.promise }.outcome().get() == 1)
        let waiting = flight.join(unless: { nil }) { work.promise }
        let joined = flight.join(unless: { .value(2) }) { Promise(error: Fault.one) }
        work.seal.fulfill(3)

        #expect(try await [waiting.outcome().get(), joined.outcome().get()] == [3, 3])
    }

    @Test("Work that is released while pending rejects its callers, and no later one")
    func abandoned() async throws {
        let flight = SingleFlight<Int>()
        var work: Source<Int>? = Source(Int.self)
        let waiting = flight.join { work!.promise }

        work = nil

        #expect(await waiting.failure() != nil)
        #expect(try await flight.join { .value(1) }.outcome().get() == 1)
    }

    /// The model keeps the number of the work in progress and, for each caller, the work it waits for.
    @Test("Calls, cancellations, successes, and failures in any order have the outcome of a simple model")
    func model() async throws {
        var stories: [[(promise: Promise<Int>, expected: Result<Int, Fault>?)]] = []
        Fuzzing.run(cases: 200) { seed, random in
            let flight = SingleFlight<Int>()
            var (works, underway) = ([Source<Int>](), Source<Int>?.none)
            var askers: [(promise: Promise<Int>, work: Int, expected: Result<Int, Fault>?, hasLeft: Bool)] = []
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0..<3:
                    let isFree = underway == nil
                    var hasBegun = false
                    let promise = flight.join {
                        hasBegun = true
                        let work = Source(Int.self)
                        works.append(work)
                        underway = work
                        return work.promise
                    }
                    #expect(hasBegun == isFree, "seed \(seed)")
                    askers.append((promise, works.count - 1, nil, false))
                case 3 where !askers.isEmpty:
                    let index = Int.random(in: askers.indices, using: &random)
                    askers[index].promise.cancel()
                    if askers[index].expected == nil { askers[index].hasLeft = true }
                case let turn where underway != nil:
                    let (number, isSuccess) = (works.count - 1, turn == 4)
                    for index in askers.indices where askers[index].work == number {
                        askers[index].expected = isSuccess ? .success(number) : .failure(.one)
                    }
                    if isSuccess { underway?.seal.fulfill(number) } else { underway?.seal.reject(Fault.one) }
                    underway = nil
                default: break
                }
            }
            for asker in askers {
                #expect(asker.promise.isPending == (asker.expected == nil && !asker.hasLeft), "seed \(seed)")
                if asker.hasLeft { #expect(asker.promise.error?.isCancelled == true, "seed \(seed)") }
            }
            #expect(works.allSatisfy { $0.stopCount == 0 }, "seed \(seed)")
            stories.append(askers.filter { !$0.hasLeft }.map { ($0.promise, $0.expected) })
        }
        for (number, story) in stories.enumerated() {
            for asker in story {
                guard let expected = asker.expected else { continue }
                #expect(await asker.promise.outcome().mapError { $0 as? Fault ?? .two } == expected, "story \(number)")
            }
        }
    }
}
