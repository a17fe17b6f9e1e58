import Pledge
import PledgeTestSupport

extension Operator {
    static let ofGuarantees: [Operator] = [
        .guarantee("Guarantee.map()") { up, lab, once in up.map(on: lab.queue) { once($0) } },
        .guarantee("Guarantee.then()") { up, lab, once in
            up.then(on: lab.queue) { [other = lab.othersGuarantee] _ in once(other) }
        },
        .guarantee("Guarantee.then()") { up, lab, once in
            up.then(on: lab.queue) { [time = lab.time.timekeeper] value in
                once(after(seconds: 1, timekeeper: time).map(on: nil) { value })
            }
        },
        .guarantee("Guarantee.done()") { up, lab, once in up.done(on: lab.queue) { _ in once(()) }.map(on: nil) { 0 } },
        .guarantee("Guarantee.get()") { up, lab, once in up.get(on: lab.queue) { _ in once(()) } },
        .guarantee("Guarantee.asVoid()") { up, _, _ in up.asVoid().map(on: nil) { 0 } },
        .guarantee("when(guarantees:)") { up, lab, _ in
            when(guarantees: [up, lab.othersGuarantee]).map(on: nil) { $0[0] }
        },
        .guarantee("when()") { up, _, _ in when(guarantees: up, up, up, up, up).map(on: nil) { $0.0 } },
        .guarantee("race()") { up, lab, _ in race(up, lab.othersGuarantee) },
        .sureList("Guarantee.mapValues()") { up, lab, once in up.mapValues(on: lab.queue) { once($0) } },
        .sureList("Guarantee.flatMapValues()") { up, lab, once in up.flatMapValues(on: lab.queue) { once([$0]) } },
        .sureList("Guarantee.compactMapValues()") { up, lab, once in
            up.compactMapValues(on: lab.queue) { once(Optional($0)) }
        },
        .sureList("Guarantee.filterValues()") { up, lab, once in up.filterValues(on: lab.queue) { _ in once(true) } },
        .sureList("Guarantee.sortedValues()") { up, lab, _ in up.sortedValues(on: lab.queue) },
        .sureList("Guarantee.thenMap()") { up, lab, once in
            up.thenMap(on: lab.queue) { [other = lab.othersGuarantee] _ in once(other) }
        },
        .sureList("Guarantee.thenFlatMap()") { up, lab, once in
            up.thenFlatMap(on: lab.queue) { once(Guarantee.value([$0])) }
        },
    ]
}
