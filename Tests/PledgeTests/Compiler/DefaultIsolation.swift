import Pledge

// Typical chains of an app, for a target whose default isolation is the main actor: everything here belongs to it unless
// it says otherwise. None names a queue for what it shows.

struct User: Codable { var id = 1, name = "Ann", friends = [2, 3] }
struct Avatar { var bytes: [UInt8] = [] }
enum LoadError: Error { case offline, expired }

final class Service {
    var requests = 0
    func user(_ id: Int) -> Promise<User> { count(User(id: id)) }
    func avatar(of user: User) -> Promise<Avatar> { count(Avatar()) }
    func save(_ user: User) -> Promise<Void> { count(()) }
    func pair() -> Promise<(user: User, avatar: Avatar)> { count((user: User(), avatar: Avatar())) }
    func settings() -> Guarantee<[String: Int]> { .value([:]) }

    private func count<T: Sendable>(_ value: T) -> Promise<T> {
        requests += 1
        return .value(value)
    }
}

func title(of user: User) -> String { "* " + user.name }
func decode(_ name: String) throws -> User { User(name: name) }

final class Screen {
    let service = Service()
    var title = "", users: [User] = [], isLoading = false, failure: (any Error)?
    var running: Promise<Void>?

    func show(_ user: User) { title = user.name }
    func show(_ error: any Error) { failure = error }
    func stop() { isLoading = false }

    func chain01() { service.user(1).onMain.done { self.title = $0.name }.cauterize() }
    func chain02() { service.user(1).onMain.done { user in self.show(user) }.catch { error in self.show(error) } }
    func chain03() { service.user(1).onMain.done(show).catch(show) }
    func chain04() {
        isLoading = true
        service.user(1).onMain.ensure { self.isLoading = false }.done { self.users.append($0) }.catch {
            self.failure = $0
        }
    }
    func chain05() {
        service.user(1).onMain.done { self.title = $0.name }.catch { self.failure = $0 }.finally { self.stop() }
    }
    func chain06() {
        service.user(1).onMain.then { self.service.avatar(of: $0) }.done { print($0.bytes, self.title) }.cauterize()
    }
    func chain07() { service.user(1).onMain.map { $0.name + self.title }.done { self.title = $0 }.cauterize() }
    func chain08() { service.user(1).onMain.map(Pledged.title).done { self.title = $0 }.cauterize() }
    func chain09() { service.user(1).onMain.map { Pledged.title($0) }.done { self.title = $0 }.cauterize() }
    // A key path to a property that belongs to the actor is not Sendable, so it cannot go to any handler; one to a
    // property of a model from elsewhere can. error: converting non-Sendable function value
    func chain10() { service.user(1).onMain.map(\.name).done { self.title = $0 }.cauterize() }
    func chain11() {
        service.user(1).onMain.get { self.users = [$0] }.map { $0.friends.count }.done { print($0) }.cauterize()
    }
    func chain12() {
        service.user(1).onMain.tap { result in
            if case .failure(let error) = result { self.failure = error }
        }.done(show).cauterize()
    }
    func chain13() {
        service.user(1).onMain.compactMap { $0.friends.first }.then { self.service.user($0) }.done(show).cauterize()
    }
    func chain14() { service.user(1).onMain.map { user in try decode(user.name) }.done(show).catch(show) }
    func chain15() {
        service.user(1).onMain.recover { error in
            self.failure = error
            return Promise.value(User())
        }.done(show).cauterize()
    }
    func chain16() { service.user(1).onMain.recover { _ in Guarantee.value(User()) }.done(show) }
    func chain17() { service.user(1).onMain.catch(only: LoadError.self) { self.failure = $0 }.cauterize() }
    func chain18() {
        service.user(1).onMain.done(show).recover(only: LoadError.offline) { self.failure = $0 }.catch(show)
    }
    func chain19() { service.user(1).onMain.mapError { self.failure ?? $0 }.done(show).cauterize() }
    func chain20() {
        service.user(1).onMain.map { $0.friends }.thenMap { self.service.user($0) }.done { self.users = $0 }.cauterize()
    }
    func chain21() {
        service.user(1).onMain.map { $0.friends }.mapValues { "\($0)" + self.title }.done { print($0) }.cauterize()
    }
    func chain22() {
        service.user(1).onMain.map { $0.friends }.filterValues { $0 > self.users.count }.done { print($0) }.cauterize()
    }
    func chain23() {
        service.user(1).onMain.map { $0.friends }.compactMap { $0.first { $0 > self.users.count } }.done { print($0) }
            .cauterize()
    }
    func chain24() {
        firstly {
            service.user(1)
        }.onMain.then { user in
            self.service.avatar(of: user)
        }.done { avatar in
            self.title = "\(avatar.bytes.count)"
        }.ensure {
            self.isLoading = false
        }.catch { error in
            self.show(error)
        }.finally {
            self.stop()
        }
    }
    func chain25() {
        firstly {
            isLoading = true
            return service.user(1)
        }.onMain.done { self.show($0) }.cauterize()
    }
    func chain26() {
        when(fulfilled: service.user(1), service.settings()).onMain.done { user, _ in self.show(user) }.cauterize()
    }
    func chain27() { when(fulfilled: [1, 2].map { service.user($0) }).onMain.done { self.users = $0 }.cauterize() }
    func chain28() {
        when(resolved: [service.user(1)]).onMain.done { results in self.users = results.compactMap { try? $0.get() } }
    }
    func chain29() {
        service.pair().onMain.done { user, avatar in self.title = "\(user.name) \(avatar.bytes)" }.cauterize()
    }
    func chain30() { service.settings().onMain.map { $0.count + self.users.count }.done { self.title = "\($0)" } }
    func chain31() {
        service.settings().onMain.then { _ in self.service.settings() }.get { self.title = "\($0)" }.done { _ in
            self.stop()
        }
    }
    func chain32() { after(seconds: 0).onMain.done { self.stop() } }
    func chain33() {
        running?.cancel()
        running = service.user(1).onMain.done { [weak self] user in self?.show(user) }.promise
    }
    func chain34() {
        service.user(1).onMain.then { user -> Promise<Void> in
            self.users.append(user)
            var renamed = user
            renamed.name = self.title
            return self.service.save(renamed)
        }.done { self.stop() }.catch(policy: .allErrors) { self.failure = $0 }
    }
    func chain35() {
        var seen: [String] = []
        service.user(1).onMain.get { seen.append($0.name) }.done { _ in self.title = seen.joined() }.cauterize()
    }
    func chain36() {
        // Long work leaves the actor: what its closure calls must not belong to it.
        service.user(1).map(on: .global()) { Pledged.longWork($0.id) }.onMain.done { self.title = "\($0)" }.cauterize()
    }
    func chain37() {
        service.user(1).onMain.then { when(fulfilled: $0.friends.map { self.service.user($0) }) }.done {
            self.users = $0
        }.cauterize()
    }
    func chain38() {
        retry(attempts: 3) { onMain { self.service.user(self.users.count) } }.onMain.done(show).cauterize()
        when(fulfilled: [1, 2], concurrently: 2) { id in onMain { self.service.user(id) } }.onMain.done {
            self.users = $0
        }.cauterize()
    }
    func chain39() -> Promise<Int> {
        Promise { seal in
            self.isLoading = true
            seal.onCancel { onMain { self.isLoading = false } }
            seal.fulfill(users.count)
        }
    }
    func chain40() async throws { title = try await service.user(1).onMain.map { self.title + $0.name }.promise.value }
}

enum Pledged {
    static func title(_ user: User) -> String { user.name }
    nonisolated static func longWork(_ id: Int) -> Int { id }
}
