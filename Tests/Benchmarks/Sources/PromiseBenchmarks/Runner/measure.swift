/// Measures a workload with all contenders, which take turns.
///
/// After one turn that doesn't count, each contender runs once in each round. The order is random in each round, so
/// that a slow phase of the machine affects all contenders, and no contender always runs after the same one.
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
