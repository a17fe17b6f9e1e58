import Pledge
import PledgeTestSupport

extension Operator {
    static let ofGuarantees: [Operator] = [
        Operator("Guarantee.map()", safe: { up, lab in up.map(on: lab.queue) { [once = lab.closure()] in once($0) } }),
        Operator(
            "Guarantee.then()",
            safe: { up, lab in
                up.then(on: lab.queue) { [once = lab.closure(), other = lab.othersGuarantee] _ in once(other) }
            }),
        Operator(
            "Guarantee.then()",
            safe: { up, lab in
                up.then(on: lab.queue) { [once = lab.closure(), time = lab.time.timekeeper] value in
                    once(after(seconds: 1, timekeeper: time).map(on: nil) { value })
                }
            }),
        Operator(
            "Guarantee.done()",
            safe: { up, lab in
                up.done(on: lab.queue) { [once = lab.closure()] _ in once(()) }.map(on: nil) { 0 }
            }),
        Operator(
            "Guarantee.get()",
            safe: { up, lab in
                up.get(on: lab.queue) { [once = lab.closure()] _ in once(()) }
            }),
        Operator("Guarantee.asVoid()", safe: { up, _ in up.asVoid().map(on: nil) { 0 } }),
        Operator(
            "when(guarantees:)",
            safe: { up, lab in
                when(guarantees: [up, lab.othersGuarantee]).map(on: nil) { $0[0] }
            }),
        Operator("when()", safe: { up, _ in when(up, up, up, up, up).map(on: nil) { $0.0 } }),
        Operator("race()", safe: { up, lab in race(up, lab.othersGuarantee) }),
        lists("Guarantee.mapValues()") { up, lab, once in up.mapValues(on: lab.queue) { once($0) } },
        lists("Guarantee.flatMapValues()") { up, lab, once in up.flatMapValues(on: lab.queue) { once([$0]) } },
        lists("Guarantee.compactMapValues()") { up, lab, once in
            up.compactMapValues(on: lab.queue) { once(Optional($0)) }
        },
        lists("Guarantee.filterValues()") { up, lab, once in up.filterValues(on: lab.queue) { _ in once(true) } },
        lists("Guarantee.sortedValues()") { up, lab, _ in up.sortedValues(on: lab.queue) },
        lists("Guarantee.thenMap()") { up, lab, once in
            up.thenMap(on: lab.queue) { [other = lab.othersGuarantee] _ in once(other) }
        },
        lists("Guarantee.thenFlatMap()") { up, lab, once in
            up.thenFlatMap(on: lab.queue) { once(Guarantee.value([$0])) }
        },
    ]

    private static func lists<Made: Sendable>(
        _ symbol: String, _ make: @escaping @Sendable (Guarantee<[Int]>, Lab, Lab.Once) -> Guarantee<Made>
    ) -> Operator {
        Operator(
            symbol,
            safe: { up, lab in
                make(up.map(on: nil) { [$0] }, lab, lab.closure()).map(on: nil) { _ in 0 }
            })
    }
}
