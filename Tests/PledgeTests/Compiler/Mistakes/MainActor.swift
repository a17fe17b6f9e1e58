import Pledge

// error: main actor-isolated property 'label'
private func mainActorFromElsewhere(_ screen: Screen) {
    number().done { number in screen.label = "\(number)" }.cauterize()
}

// error: main actor-isolated property 'label' can not be mutated from a nonisolated context
extension Screen {
    fileprivate func mainActorInOnCancel() -> Promise<Int> { Promise { seal in seal.onCancel { self.label = "" } } }
}

// error: call to main actor-isolated instance method 'load()' in a synchronous nonisolated context
// Swift assumes that retry may run its closure on any thread.
extension Screen {
    fileprivate func mainActorInRetry() { retry(attempts: 3) { self.load() }.cauterize() }
    private func load() -> Promise<Int> { .value(label.count) }
}

// warning: result of call to 'done' is unused
extension Screen {
    fileprivate func mainActorMissingCatch() { number().onMain.done { self.label = "\($0)" } }
}

// error: value of type 'User' has no member 'usernmae'
extension Screen {
    fileprivate func mainActorTypoInDone() {
        exist.user().onMain.ensure { self.label = "" }.done { user, _ in self.label = user.usernmae }.cauterize()
    }
}

// error: has no member 'usernmae'
extension Screen {
    fileprivate func mainActorTypoInThen() {
        exist.user().onMain.then { user, _ in exist.attributes(names: [user.usernmae]) }
            .done { attributes, _ in self.label = "\(attributes.count)" }.cauterize()
    }
}

// error: has no member 'cuont'
@MainActor private func mainActorTypoLateInTwenty() {
    number().onMain.then { text(of: $0) }.get { print($0) }.map { $0.count }.then { text(of: $0) }.get { print($0) }
        .map { $0.count }.then { text(of: $0) }.get { print($0) }.map { $0.count }.then { text(of: $0) }
        .get { print($0) }.map { $0.count }.then { text(of: $0) }.get { print($0) }.map { $0.count }.ensure {
            print("over")
        }
        .then { text(of: $0) }.map { $0.count }.done { number in print(number.cuont) }.cauterize()
}

// error: value of type 'OnMain<String>' has no member 'value'
// Swift names only the view `OnMain`; the Troubleshooting article says how to get a promise from the view.
extension Screen {
    fileprivate func mainActorViewAwaited() async throws {
        label = try await text(of: 1).onMain.map { $0 + self.label }.value
    }
}

// error: requires that 'OnMain<Int>' conform to 'Thenable'
@MainActor private func mainActorViewInThen() {
    number().onMain.then { number in text(of: number).onMain.map { $0.count } }.done { print($0) }.cauterize()
}

// error: cannot convert return expression of type 'OnMain<Int>' to return type 'Promise<Int>'
// Swift cannot convert the view `OnMain`; the Troubleshooting article says how to get a promise from the view.
extension Screen {
    fileprivate func mainActorViewReturned() -> Promise<Int> { number().onMain.get { self.label = "\($0)" } }
}
