import Pledge

// Chains of an app whose target has the main actor as its default isolation. Every declaration in this file is isolated to
// the main actor unless it is marked as nonisolated.

struct User: Codable { var id = 1, name = "Ann", friends = [2, 3] }

final class Service {
    var requests = 0
    func user(_ id: Int) -> Promise<User> { count(User(id: id)) }
    func save(_ user: User) -> Promise<Void> { count(()) }

    private func count<T: Sendable>(_ value: T) -> Promise<T> {
        requests += 1
        return .value(value)
    }
}

func decode(_ name: String) throws -> User { User(name: name) }

final class Screen {
    let service = Service()
    var title = "", users: [User] = [], failure: (any Error)?

    func show(_ user: User) { title = user.name }
    func show(_ error: any Error) { failure = error }

    func chain1() { service.user(1).onMain.map(Pledged.title).done { self.title = $0 }.cauterize() }
    // A key path to a property that is isolated to the main actor is not Sendable, so no handler can take it. A key path to
    // a property of a nonisolated model works. error: converting non-Sendable function value
    func chain2() { service.user(1).onMain.map(\.name).done { self.title = $0 }.cauterize() }
    func chain3() { service.user(1).onMain.map { user in try decode(user.name) }.done(show).catch(show) }
    func chain4() {
        service.user(1).onMain.map { $0.friends }.thenMap { self.service.user($0) }.done { self.users = $0 }.cauterize()
    }
    func chain5() {
        service.user(1).onMain.map { $0.friends }.compactMap { $0.first { $0 > self.users.count } }.done { print($0) }
            .cauterize()
    }
    func chain6() { when(fulfilled: [1, 2].map { service.user($0) }).onMain.done { self.users = $0 }.cauterize() }
    func chain7() {
        when(resolved: [service.user(1)]).onMain.done { results in self.users = results.compactMap { try? $0.get() } }
    }
    func chain8() {
        service.user(1).onMain.then { user -> Promise<Void> in
            self.users.append(user)
            var renamed = user
            renamed.name = self.title
            return self.service.save(renamed)
        }.done { self.title = "" }.catch(policy: .allErrors) { self.failure = $0 }
    }
    func chain9() {
        // Long work runs outside the main actor, so the function that the closure calls must be nonisolated.
        service.user(1).map(on: .global()) { Pledged.longWork($0.id) }.onMain.done { self.title = "\($0)" }.cauterize()
    }
}

enum Pledged {
    static func title(_ user: User) -> String { user.name }
    nonisolated static func longWork(_ id: Int) -> Int { id }
}
