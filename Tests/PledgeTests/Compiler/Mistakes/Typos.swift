import Pledge

// error: has no member 'cuont'
private func typoAfterFirstly() {
    firstly { exist.user() }.then { user, _ in exist.attributes(names: ["mood"]) }
        .done { attributes, _ in print(attributes.cuont) }.catch { error in print(error) }
}

// error: cannot infer type of closure parameter 'user' without a type annotation
// Swift checks a closure of several statements only after the rest of the chain. The second error names the typo.
private func typoAfterFirstlyOfStatements() {
    firstly {
        print("begins")
        return exist.user()
    }.then { user, _ in exist.attributes(names: ["mood"]) }.ensure { print("over") }
        .done { attributes, _ in print(attributes.cuont) }.catch { error in print(error) }
}

// error: has no member 'cuont'
private func typoAfterRecover() { text(of: 1).recover { error in text(of: 2) }.done { print($0.cuont) }.cauterize() }

// error: has no member 'cod'
private func typoInCatch() { number().done { print($0) }.catch { error in print(error.cod) } }

// error: has no member 'usernmae'
private func typoInDone() { exist.user().done { user, _ in print(user.usernmae) }.cauterize() }

// error: cannot find 'spiner' in scope
private func typoInEnsure() { number().ensure { spiner = false }.done { print($0) }.cauterize() }

// error: cannot find 'usre' in scope
private func typoInFirstly() { firstly { usre() }.then { user, _ in number() }.done { print($0) }.cauterize() }

// error: has no member 'usernmae'
private func typoInMapThenMore() {
    exist.user().map { user, _ in user.usernmae }.then { name in text(of: 1) }.done { print($0 + "!") }.cauterize()
}

// error: has no member 'don'
private func typoInOperator() { exist.user().then { _, _ in number() }.don { print($0) }.cauterize() }

// error: contextual closure type '@Sendable () async throws -> Int' expects 0 arguments, but 1 was used in closure body
// Swift reports a mismatch with the initializer that takes an async closure.
private func typoInResolver() -> Promise<Int> { Promise { seal in seal.fulfil(1) } }

// error: value of type 'Resolver<Int>' has no member 'fulfil'
private func typoInResolverOfKnownType() -> Promise<Int> {
    Promise { (seal: Resolver<Int>) in
        let one = 1
        seal.fulfil(one)
    }
}

// error: initializer 'init(_:)' requires the types 'Int' and '((_) -> ()).T' be equivalent
// Swift reports a mismatch with the initializer that takes a promise.
private func typoInResolverOfStatements() -> Promise<Int> {
    Promise { seal in
        let one = 1
        seal.fulfil(one)
    }
}

// error: has no member 'attribtues'
private func typoInThen() {
    exist.user().then { user, _ in exist.attribtues(names: ["mood"]) }.done { attributes, _ in print(attributes) }
        .cauterize()
}

// error: has no member 'vlaue'
private func typoInThenMap() {
    exist.attributes(names: []).map { attributes, _ in attributes }.thenMap { text(of: $0.vlaue) }
        .done { print($0.count) }.cauterize()
}

// error: has no member 'usernmae'
private func typoInWhen() {
    when(fulfilled: exist.user(), exist.attributes(names: ["mood"]))
        .done { user, attributes in print(user.user.usernmae, attributes.attributes.count) }.cauterize()
}

// error: type 'Any' cannot conform to 'Thenable'
// Swift infers a common type for the elements of a list of calls before it knows what the calls return.
private func typoInWhenList() {
    when(fulfilled: [exist.user(), exist.user()]).done { users in print(users[0].user.usernmae) }.cauterize()
}

// error: has no member 'cuont'
private func typoLateInTwenty() {
    number().then { text(of: $0) }.get { print($0) }.map { $0.count }.then { text(of: $0) }.get { print($0) }
        .map { $0.count }.then { text(of: $0) }.get { print($0) }.map { $0.count }.then { text(of: $0) }
        .get { print($0) }.map { $0.count }.then { text(of: $0) }.get { print($0) }.map { $0.count }
        .ensure { print("over") }.then { text(of: $0) }.map { $0.count }.done { number in print(number.cuont) }
        .cauterize()
}
