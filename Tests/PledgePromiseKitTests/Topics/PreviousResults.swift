@_spi(PromiseKit) import PledgePromiseKit

// Two ways to use an earlier result in a later handler: a nested chain, or a tuple that passes the result along.

func previousResults() -> Promise<String> {
    func login() -> Promise<String> { .value("ada") }
    func avatar(of name: String) -> Promise<Int> { .value(name.count) }

    let nested = login().then { name in avatar(of: name).map { "\(name): \($0)" } }
    let along = login().then { name in
        avatar(of: name).map { ($0, name) }
    }.map { size, name in
        "\(name): \(size)"
    }
    return when(fulfilled: nested, along).get { nested, _ in
        precondition(nested == "ada: 3")
    }.map { $0 == $1 ? "the same: \($0)" : "not the same" }
}
