@_spi(PromiseKit) import PledgePromiseKit

// Many downloads, a few at a time, from an iterator that makes the next when there is room.

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
