import Pledge

// A search: the last one wins, a canceled one says nothing.
struct Hit: Sendable { var name = "" }
func search(_ text: String) -> Promise<[Hit]> { .value([Hit(name: text)]) }

@MainActor final class Search {
    var hits: [Hit] = [], message = ""
    private var running: Promise<Void>?

    func typed(_ text: String) {
        running?.cancel()
        running =
            after(seconds: 0.01).onMain.then { search(text) }.done { [weak self] in self?.hits = $0 }
            .catch { [weak self] in self?.message = "\($0)" }.promise
    }
}
