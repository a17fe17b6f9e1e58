/// What a batch has done so far, as of one moment: the numbers of a dashboard, or of a file of metrics.
public struct BatchFigures: Sendable {
    /// By service; none for one without items so far.
    public var tallies: [String: BatchTally] = [:]
    /// How far the batch is.
    public var progress = BatchProgress()
    /// The services that are down, or did not come back.
    public var down: Set<String> = []

    package init() {}

    /// The counts of all services.
    public var tally: BatchTally {
        tallies.sorted { $0.key < $1.key }.reduce(into: BatchTally()) { $0.add($1.value) }
    }
}
