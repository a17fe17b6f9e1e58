import PledgeHTTP
import PledgeTestSupport
import Testing

@testable import PledgeBatch

@Suite("The counts of a batch")
struct BatchTallyTests {
    /// Closures that change a tally: one for each event that a tally records, and one for each field that is set
    /// directly.
    private static let records: [@Sendable (inout BatchTally) -> Void] = [
        { $0.record(.done()) },
        { $0.record(.done(unreadable: ["values": 2, "tags": 1])) },
        { $0.record(.failed(kind: "forbidden")) },
        { $0.record(.failed(kind: "forbidden", lists: ["values": "a", "tags": "b"], unreadable: ["values": 3])) },
        { $0.record(.failed(kind: "other", lists: ["values": "a"])) },
        { $0.record(AttemptOutcome(.answered), isFirst: true, seconds: 0.5, bytes: 100) },
        { $0.record(AttemptOutcome(.limited), isFirst: false, seconds: 2, bytes: 10) },
        { $0.record(.down(service: "exist")) },
        { $0.record(.probe(service: "exist")) },
        { $0.record(.up(service: "exist", after: 3)) },
        { $0.record(.gone(service: "exist", after: 4)) },
        { $0.givenUp += 1 },
        { $0.retries += 7 },
        { $0.waits += 8 },
        { $0.waitSeconds += 9 },
    ]

    private func fields(_ tally: BatchTally) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: Mirror(reflecting: tally).children.map { field in
                let dictionary = field.value as? [String: Int]
                let shown = dictionary.map { "\($0.sorted { $0.key < $1.key })" } ?? "\(field.value)"
                return (field.label ?? "", shown)
            })
    }

    @Test("A tally counts each event once, in the right field")
    func recorded() {
        var tally = BatchTally()
        #expect("\(tally)" == "0 done; 0 failed; 0 requests, 0 of them repeated")
        tally.record(.failed(kind: "other"))
        #expect("\(tally)" == "0 done; 1 failed (other 1); 0 requests, 0 of them repeated")
        tally = BatchTally()
        for record in Self.records { record(&tally) }
        #expect(tally.done == 2 && tally.failed == 3 && tally.errors == ["forbidden": 2, "other": 1])
        #expect(tally.lists == ["values": ["a": 2], "tags": ["b": 1]])
        #expect(tally.unreadable == ["values": 5, "tags": 1])
        #expect(tally.limited == 1 && tally.bytes == 110)
        #expect(tally.latency.count == 2 && tally.latency.sum == 2.5 && tally.latency.longest == 2)
        #expect(tally.outages == 1 && tally.outageSeconds == 7 && tally.down == ["exist"])
        #expect(
            tally.description
                == "2 done; 3 failed (forbidden 2, other 1); 1 given up; 1 requests, 7 of them repeated; 1 limited, waited "
                + "9 s; 1 outages of 7 s; still down: exist")
    }

    @Test("The sum of several tallies equals the tally of all their events, in each field")
    func sums() {
        Fuzzing.run(cases: 50) { seed, generator in
            var (whole, parts) = (BatchTally(), [BatchTally(), BatchTally(), BatchTally()])
            // Each change occurs twice, in random order. Each occurrence is recorded in `whole` and in one of the
            // `parts`.
            for record in (Self.records + Self.records).shuffled(using: &generator) {
                record(&whole)
                record(&parts[Int.random(in: 0...2, using: &generator)])
            }
            let sum = parts.reduce(into: BatchTally()) { $0.add($1) }
            let empty = fields(BatchTally())
            for (name, value) in fields(whole) where name != "lists" {
                #expect(value == fields(sum)[name] && value != empty[name], "\(name), seed \(seed)")
            }
            #expect(sum.lists == whole.lists, "seed \(seed)")
        }
    }
}
