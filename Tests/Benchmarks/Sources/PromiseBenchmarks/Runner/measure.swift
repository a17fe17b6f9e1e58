/// Measures one workload with all contenders, taking turns.
///
/// After one turn that does not count, each contender runs once a round, in an order drawn anew: what slows the
/// machine for a while slows all of them, and nobody always runs after the same neighbour.
func measure(_ workload: Workload, rounds: Int) -> Measurement {
    for contender in contenders { _ = workload.time(contender) }
    var times: [String: [Double]] = [:]
    for _ in 0..<rounds {
        for contender in contenders.shuffled() {
            times[contender.name, default: []].append(workload.time(contender))
        }
    }
    return Measurement(workload: workload, times: times.mapValues(Spread.init))
}
