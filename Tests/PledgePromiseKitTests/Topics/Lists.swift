@_spi(PromiseKit) import PledgePromiseKit

// Operators that handle the elements of a list, on promises and guarantees of lists.

struct Person { var name: String; var nickname: String?; var isAdmin = false }

func lists() -> Promise<String> {
    let people = Promise.value([Person(name: "Bea", nickname: "B"), Person(name: "Ada", isAdmin: true)])
    func greeting(_ name: String) -> Promise<String> { .value("Hello, \(name)") }

    let greetings = people.mapValues { $0.name }.sortedValues().thenMap { greeting($0) }
    let nicknames = people.compactMapValues(\.nickname)
    let letters = people.thenFlatMap { Promise.value(Array($0.name)) }.filterValues { $0 == "a" }.map { $0.count }
    let admin = people.filterValues(\.isAdmin).firstValue.map(\.name)
    let squares = Guarantee.value([3, 1, 2]).thenMap { Guarantee.value($0 * $0) }.sortedValues()
    squares.compactMapValues { $0 > 1 ? $0 : nil }.flatMapValues { [$0, $0] }.done { $0.forEach { _ in } }

    return when(fulfilled: greetings, nicknames, letters, admin, squares).map {
        greetings, nicknames, letters, admin, squares in
        "\(greetings[0]); \(nicknames[0]); \(letters); \(admin); \(squares)"
    }
}
