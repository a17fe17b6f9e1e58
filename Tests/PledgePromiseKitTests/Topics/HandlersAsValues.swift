@_spi(PromiseKit) import PledgePromiseKit

// Passes functions, methods, and stored closures as handlers instead of closure expressions.

final class Model {
    var total = 0
    var onChange: (Int) -> Void = { _ in }

    func add(_ number: Int) { total += number }
    func next(_ number: Int) -> Promise<Int> { .value(number + 1) }
}

func handlersAsValues() -> Promise<String> {
    let model = Model()
    model.onChange = model.add
    func double(_ number: Int) throws -> Int { number * 2 }
    func load(then handler: @escaping (Int) -> Void, failure: @escaping (Error) -> Void) -> Promise<Void> {
        let promise = Promise.value(20)
        promise.catch(failure)
        return promise.done(handler)
    }

    return load(then: model.onChange, failure: { _ in }).then {
        Promise.value(1).map(double).then(model.next).get(model.add).asVoid()
    }.map {
        "\(model.total)"
    }
}
