import Pledge

// This file imports only Pledge, and uses the operators that it then sees: each operator without `on:`, and other calls that
// Swift could resolve to a declaration of another module by mistake.

public func number() -> Promise<Int> { .value(1) }
public func sure() -> Guarantee<Int> { .value(1) }
public func nothing() -> Promise<Void> { Promise() }

func operators() {
    number().then { number in Promise.value(number) }.map { $0 + 1 }.compactMap { Optional($0) }.get { print($0) }
        .tap { print($0) }.mapError { $0 }.recover { _ in Promise.value(2) }.ensure {}.ensureThen { Guarantee() }
        .done { print($0) }.catch(only: PromiseError.self) { print($0) }.catch { print($0) }.finally {}
    number().map(\.description).recover { _ in Guarantee.value("") }.done { print($0) }
    nothing().recover { _ in }.done {}
    nothing().recover(only: PromiseError.cancelled) { _ in }.cauterize()
    number().map(on: .global()) { $0 + 1 }.done(on: nil) { print($0) }.cauterize()
    sure().map { $0 + 1 }.then { Guarantee.value($0) }.get { print($0) }.done { print($0) }
}

func lists() {
    Promise.value([1]).mapValues { $0 + 1 }.flatMapValues { [$0] }.compactMapValues { Optional($0) }
        .filterValues { $0 > 0 }.thenMap { Promise.value($0) }.firstValue { $0 > 0 }.done { print($0) }.cauterize()
    Guarantee.value([1]).mapValues { $0 + 1 }.filterValues { $0 > 0 }.thenMap { Guarantee.value($0) }.done { print($0) }
}

func together() {
    when(fulfilled: number(), number()).done { print($0 + $1) }.cauterize()
    when(fulfilled: [nothing()]).done {}.cauterize()
    when(resolved: [number()]).done { print($0) }
    race(number(), number()).done { print($0) }.cauterize()
    firstly { number() }.done { print($0) }.cauterize()
    retry(attempts: 2) { number() }.done { print($0) }.cauterize()
}

@MainActor final class Screen {
    var label = ""
    func load() { number().onMain.map { $0 + 1 }.done { self.label = "\($0)" }.catch { self.label = "\($0)" } }
}

func outcomes() -> String {
    number().pipe { print($0) }
    print(String(describing: number().result), number().description, number().debugDescription)
    return "\(number()) \(sure())"
}
