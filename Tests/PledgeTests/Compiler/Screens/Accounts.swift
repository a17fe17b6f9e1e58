import Pledge

// A login screen. It reads the user's input on the main actor, hashes the password on another queue, and handles the errors of
// one type separately.
enum LoginError: Error, Equatable { case wrongPassword, locked }
func login(_ name: String, _ hash: Int) -> Promise<Int> {
    name.isEmpty ? Promise(error: LoginError.wrongPassword) : .value(hash)
}

@MainActor final class Login {
    var name = "", password = "", message = "", token = 0

    func signIn() {
        let password = password
        Promise.value(name).map(on: .global()) { ($0, password.hashValue) }.onMain.then { name, hash in
            self.message = "…"
            return login(name, hash)
        }.done { token in self.token = token }
            .catch(only: LoginError.wrongPassword) { _ in self.password = "" }
            .catch(only: LoginError.self) { error in self.message = "\(error)" }
            .catch { self.message = "\($0)" }.finally { self.name = "" }
    }
}

// A profile screen. It loads a user, shows the user's name, and always stops the spinner.
struct User: Sendable { var id = 1, name = "Ann" }
func fetchUser(_ id: Int) -> Promise<(user: User, status: Int)> { .value((user: User(id: id), status: 200)) }

@MainActor final class Profile {
    var title = "", isLoading = false

    func load() {
        isLoading = true
        fetchUser(1).onMain.done { user, _ in self.title = user.name }.ensure { self.isLoading = false }
            .catch { error in self.title = "\(error)" }
    }
}

// An editor. It recovers from some errors only, transforms errors, and waits for the work of an ensureThen.
enum SaveError: Error, Equatable { case conflict, offline, unknown }
func save(_ text: String) -> Promise<Int> { text == "" ? Promise(error: SaveError.conflict) : .value(text.count) }

@MainActor final class Editor {
    var text = "", version = 0, queue: [String] = [], last: SaveError?
    func merge() -> Promise<Int> { text += "!"; return save(text) }
    func unlock() -> Guarantee<Void> { version += 1; return Guarantee() }

    func store() {
        save(text).onMain.recover(only: SaveError.conflict) { _ in self.merge() }
            .recover(only: SaveError.self) { error -> Promise<Int> in
                self.queue.append(self.text)
                throw error
            }
            .mapError { error in self.last ?? error }.ensureThen { self.unlock() }
            .tap { result in if case .failure(let error) = result { self.last = error as? SaveError } }
            .compactMap { version in version > self.version ? version : nil }
            .recover { _ in Guarantee.value(self.version) }.done { version in self.version = version }
    }
}
