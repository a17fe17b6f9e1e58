import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("A token and its renewal")
struct SharedRenewalTests {
    private let clock = ManualTimekeeper()

    /// Returns a credential that was sent after a number of renewals.
    private func sent(_ token: String, after renewals: Int) -> SentCredential {
        SentCredential(token: token, renewalCount: renewals, isFromStore: false)
    }

    @Test("A usable token is returned at once, except during a renewal, and stays usable after a renewal that fails")
    func usable() async throws {
        let (flight, work) = (SharedRenewal(1), Source(Int.self))
        #expect(try await flight.value(.live) { _ in work.promise }.outcome().get() == 1)
        let waiting = flight.value(.live, if: { _, _ in false }) { _ in work.promise }
        let joined = flight.value(.live) { _ in Promise(error: Fault.one) }
        work.seal.fulfill(3)
        #expect(try await waiting.outcome().get() == 3)
        #expect(try await joined.outcome().get() == 3)
        _ = await flight.value(.live, if: { _, _ in false }) { _ in Promise(error: Fault.one) }.outcome()
        #expect(try await flight.value(.live) { _ in .value(4) }.outcome().get() == 3)
    }

    @Test("If a renewal is released while pending, its callers are rejected, and later callers can renew again")
    func abandoned() async throws {
        let flight = SharedRenewal<Int>()
        var work: Source<Int>? = Source(Int.self)
        let waiting = flight.value(.live) { _ in work!.promise }
        work = nil
        #expect(await waiting.failure() != nil)
        #expect(try await flight.value(.live) { _ in .value(1) }.outcome().get() == 1)
    }

    @Test(
        "If all callers cancel, the renewal runs on or is canceled, as its creator chose; later callers can renew again",
        arguments: [true, false])
    func withoutCallers(runs: Bool) async throws {
        let (flight, work) = (SharedRenewal<Int>(runsWithoutCallers: runs), Source(Int.self))
        let callers = (0..<2).map { _ in flight.value(.live) { _ in work.promise } }
        callers[0].cancel()
        #expect(work.promise.isPending)
        callers[1].cancel()
        #expect(work.promise.isPending == runs)
        if runs { work.seal.fulfill(1) }
        let next = flight.value(.live, if: { value, _ in value == 1 }) { _ in .value(2) }
        #expect(try await next.outcome().get() == (runs ? 1 : 2))
    }

    @Test("A token counts as new for 10 seconds, unless the clock was set back")
    func new() {
        var state = SharedRenewalState<Int>(nil)
        state.end(.success(1), now: 100)
        for (now, isNew) in [(100.0, true), (109.5, true), (110, false), (99, false)] {
            #expect((state.value(if: { _, isNew in isNew }, now: now) != nil) == isNew, "\(now)")
        }
    }

    /// Each row describes a request whose token was refused: the outcome of the last renewal, the refused token, the
    /// number of renewals that had ended when the request was sent, and the seconds since the last renewal ended.
    /// `expected` is the reply of the token's state: a token, or a word for any other reply, such as “asks” if the
    /// state asks for another renewal.
    @Test(
        "For 10 seconds, a renewal's outcome also applies to refused requests that were sent before the renewal ended")
    func refusals() async throws {
        enum Renewal { case succeeded, failed }
        let rows: [(Renewal, rejected: String, sent: Int, age: TimeInterval, expected: String)] = [
            (.succeeded, "A", 0, 1, "B"), (.succeeded, "A", 1, 1, "asks"), (.succeeded, "A", 0, 10, "asks"),
            (.succeeded, "older", 0, 1, "B"), (.succeeded, "B", 0, 1, "refused anew"),
            (.succeeded, "B", 1, 1, "refused anew"), (.succeeded, "B", 1, 10, "asks"), (.failed, "A", 0, 1, "fails"),
            (.failed, "A", 1, 1, "asks"), (.failed, "A", 0, 10, "asks"), (.succeeded, "A", 0, -1, "asks"),
        ]
        for row in rows {
            var state = SharedRenewalState<String>("A")
            state.end(row.0 == .succeeded ? .success("B") : .failure(Fault.one), now: 100)
            let token = state.knownReplacement(for: sent(row.rejected, after: row.sent), now: 100 + row.age)
            let answer =
                switch await token?.outcome() {
                case .success(let token): token
                case .failure(let error as NoOtherToken): error.isNew ? "refused anew" : "none"
                case .failure: "fails"
                case nil: "asks"
                }
            #expect(answer == row.expected, "\(row)")
        }
    }

    @Test("A renewal that returns the refused token fails for every waiting caller")
    func sameToken() async throws {
        let (flight, work, asked) = (SharedRenewal<String>(), Source(String.self), Counter())
        func replacing(_ token: String) -> Promise<String> {
            flight.replacement(for: sent(token, after: 0), clock.timekeeper) {
                _ = asked.next()
                return work.promise
            }
        }
        let outcomes = [replacing("A"), replacing("A")]
        work.seal.fulfill("A")
        for outcome in outcomes + [replacing("A")] { #expect(await outcome.failure() is NoOtherToken) }
        #expect(asked.next() == 2)
        let later = flight.replacement(for: sent("A", after: flight.renewalCount), clock.timekeeper) { .value("B") }
        #expect(try await later.outcome().get() == "B")
    }

    @Test("A caller that joins a renewal fails if the renewal returns the token that this caller has sent")
    func joining() async throws {
        let (flight, work) = (SharedRenewal<String>(), Source(String.self))
        let first = flight.replacement(for: sent("A", after: 0), clock.timekeeper) { work.promise }
        let second = flight.replacement(for: sent("B", after: 0), clock.timekeeper) { .value("C") }
        work.seal.fulfill("B")
        #expect(try await first.outcome().get() == "B")
        #expect(await second.failure() is NoOtherToken)
    }

    /// For each caller, the model stores the number of the renewal that the caller waits for, and the expected outcome.
    @Test("Random sequences of calls, cancellations, and renewals have the same outcomes as a simple model")
    func model() async throws {
        var stories: [[(promise: Promise<Int>, expected: Result<Int, Fault>?)]] = []
        Fuzzing.run(cases: 200) { seed, random in
            let flight = SharedRenewal<Int>()
            var (works, underway) = ([Source<Int>](), Source<Int>?.none)
            var askers: [(promise: Promise<Int>, work: Int, expected: Result<Int, Fault>?, hasLeft: Bool)] = []
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0..<3:
                    let isFree = underway == nil
                    var hasBegun = false
                    let promise = flight.value(.live, if: { _, _ in false }) { _ in
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
