import Pledge

// warning: expression of type 'String' is unused
private func doneThatReturns() { exist.user().done { user, _ in user.username }.cauterize() }

// error: 'init(_:)' is unavailable: the closure has one parameter, a resolver
private func fulfillAndReject() -> Promise<Int> { Promise { fulfill, reject in fulfill(1) } }

// error: 'init(_:)' is unavailable: the closure has one parameter, a resolver
private func fulfillAndRejectInStatements(_ isDone: Bool) -> Promise<Int> {
    Promise<Int> { fulfill, reject in
        if isDone { fulfill(1) } else { reject(PromiseError.cancelled) }
    }
}

// warning: result of call to 'done(on:flags:_:)' is unused
private func missingCatch() { number().done { print($0) } }

// error: type '()' cannot conform to 'Thenable'
// Swift does not look for a missing return in a closure whose result type it infers.
private func missingReturn() {
    number().then { number in
        let next = number + 1
        text(of: next)
    }.done { print($0) }.cauterize()
}

// warning: result of operator '*' is unused
private func missingReturnInMap() {
    number().map { number in
        let next = number + 1
        next * 2
    }.done { show($0) }.cauterize()
}

// error: requires explicit use of 'self'
private final class Loader: Sendable {
    let factor = 2
    func missingSelf() { number().map { $0 * factor }.done { print($0) }.cauterize() }
}

// error: call can throw, but it is not marked with 'try'
private func missingTry() { text(of: 1).map { parse($0) }.done { print($0) }.cauterize() }

// error: must be unwrapped
private func modelOptional() {
    session.page(of: Participant.ID()).map { $0.results[0].firstName }.done { name in show(name) }.cauterize()
}

// error: has no member 'reslts'
private func modelTypoAfterThen() {
    session.participant().then { session.page(of: $0.id) }.done { page in print(page.reslts.count) }.cauterize()
}

// error: value of type 'Participant' has no member 'done'
// Swift reports the async form of the call, although the chain uses the form that returns a promise.
private func modelTypoInDone() {
    session.participant().done { participant in print(participant.fistName ?? "") }.cauterize()
}

// error: cannot convert value of type 'Participant' to expected argument type 'Participant.ID'
private func modelWrongType() {
    session.participant().then { session.page(of: $0) }.done { page in print(page.results.count) }.cauterize()
}

// error: mutation of captured var 'sum'
private func mutatedVariable() {
    var sum = 0
    number().done { sum += $0 }.cauterize()
    print(sum)
}

// error: non-Sendable type 'Counter'
private func notSendable() {
    let counter = Counter()
    number().done { counter.count += $0 }.cauterize()
}

// error: has no member 'count'
private func onePartOfAPair() {
    exist.user().then { _, _ in exist.attributes(names: []) }.done { attributes in print(attributes.count) }.cauterize()
}

// error: value of type 'Participant' has no member 'cancel'
// Swift chooses the async form of a call wherever that form could be awaited.
private func promiseInAsynchronousCode() async {
    let started = session.participant()
    started.cancel()
}

// error: requires the types 'Int' and 'String' be equivalent
private func recoverWithAnotherType() { number().recover { _ in text(of: 1) }.done { print($0) }.cauterize() }

// error: requires the types 'Int' and 'String' be equivalent
private func returnsAnotherPromise() -> Promise<Int> { number().then { text(of: $0) } }

// error: cannot infer type of closure parameter '$0' without a type annotation
// Swift checks a closure of several statements only after the rest of the chain.
private func statementsThenDone() {
    number().then { number in
        let next = number + 1
        return text(of: next)
    }.done { print($0.count) }.cauterize()
}

// error: requires the types 'Any' and 'String' be equivalent
// Swift checks a closure of several statements only after the rest of the chain, and assumes that the closure returns `Any`.
private func statementsThenNamed() {
    number().then { number in
        print(number)
        return text(of: number)
    }.done { text in print(text) }.cauterize()
}

// error: type 'Any' does not conform to the 'Sendable' protocol
// Swift checks a closure of several statements only after the rest of the chain, and assumes that the closure returns `Any`.
private func statementsMapNamed() {
    number().map { number in
        print(number)
        return number + 1
    }.done { number in print(number) }.cauterize()
}

// error: has no member 'usernmae'
private func statementsTypoInThem() {
    exist.user().then { user, _ in
        print(user.usernmae)
        return exist.attributes(names: [])
    }.done { attributes, _ in print(attributes) }.cauterize()
}

// error: requires that 'Int' conform to 'Thenable'
private func thenOfNoPromise() { number().then { $0 + 1 }.done { print($0) }.cauterize() }

// error: invalid conversion from throwing function
private func throwInCatch() { number().done { print($0) }.catch { _ in print(try parse("")) } }

// error: expects 1 argument, but 2 were used in closure body
private func twoPartsOfAList() {
    let (a, b) = (number(), number())
    when(fulfilled: [a, b]).done { x, y in print(x + y) }.cauterize()
}

// error: requires the types 'Int' and '()' be equivalent
// Swift reports a mismatch with the form for promises without a value. Only the second error counts the arguments.
private func twoPartsOfAListInThen() {
    let (a, b) = (number(), number())
    when(fulfilled: [a, b]).then { x, y in text(of: x + y) }.done { print($0) }.cauterize()
}

// error: expects 1 argument, but 2 were used in closure body
private func twoPartsOfOneValue() { number().done { number, response in print(number) }.cauterize() }

// error: 'value' is unavailable: write Promise.value(…), or a map that returns the value itself
private func valueWithoutType() { number().then { .value($0 + 1) }.done { print($0) }.cauterize() }

// error: cannot infer contextual base in reference to member 'value'
// Swift checks a closure of several statements only after the rest of the chain.
private func valueWithoutTypeAfterStatements() {
    number().then { number in
        print(number)
        return .value(number + 1)
    }.done { print($0) }.cauterize()
}

// error: 'value' is unavailable: write Promise.value(…), or a map that returns the value itself
private func valueWithoutTypeThenMore() {
    number().then { number in .value(number + 1) }.map { $0 + 1 }.then { text(of: $0) }.done { print($0) }.cauterize()
}

// error: incorrect argument label
private func wrongLabel() { number().then { text(from: $0) }.done { print($0) }.cauterize() }

// error: cannot convert value of type '@Sendable (String) -> Int' to expected argument type
private func wrongTypeOfParameter() { number().map { (text: String) in text.count }.done { print($0) }.cauterize() }

// error: cannot convert value of type 'Int' to expected argument type 'String'
private func wrongTypePassedOn() { text(of: 1).map { $0.count }.done { show($0) }.cauterize() }
