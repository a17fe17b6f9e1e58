import Pledge

// A login: input that belongs to the actor, an error of one type, work elsewhere in the middle.
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
