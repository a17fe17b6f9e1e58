import Pledge

// A profile: load, show, always stop the spinner.
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
