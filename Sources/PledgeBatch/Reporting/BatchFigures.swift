/// What a batch has done so far, as of one moment.
package struct BatchFigures: Sendable {
    /// By service; none for one without jobs so far.
    package var tallies: [String: BatchTally] = [:]
    package var progress = BatchProgress()
    /// The services that are down, or did not come back.
    package var down: Set<String> = []

    package init() {}

    /// The counts of all services.
    package var tally: BatchTally {
        tallies.sorted { $0.key < $1.key }.reduce(into: BatchTally()) { $0.add($1.value) }
    }
}
