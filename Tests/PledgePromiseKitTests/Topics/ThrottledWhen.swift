@_spi(PromiseKit) import PledgePromiseKit

// Runs downloads two at a time. An iterator creates the next download when a previous one has ended.

func throttledWhen() -> Promise<String> {
    func download(_ name: String) -> Promise<Int> { after(.milliseconds(1)).map { name.count } }

    var names = ["a", "bb", "ccc"].makeIterator()
    let downloads = AnyIterator<Promise<Int>> {
        guard let name = names.next() else { return nil }
        return download(name)
    }
    var others = ["d", ""].makeIterator()
    let failing = AnyIterator<Promise<Int>> {
        others.next().map { $0.isEmpty ? Promise(error: PMKError.badInput) : download($0) }
    }

    let sizes = when(fulfilled: downloads, concurrently: 2)
    let outcomes = when(resolved: failing, concurrently: 2)
    return when(fulfilled: sizes, outcomes).map { sizes, outcomes in
        "\(sizes), and \(outcomes.filter { $0.isFulfilled }.count) of the others"
    }
}
