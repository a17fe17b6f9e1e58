import Pledge

// A feed. It waits for two pages and the settings at once, and keeps a count in a local variable.
struct Post: Sendable { var id = 0 }
func page(_ number: Int) -> Promise<[Post]> { .value([Post(id: number)]) }
func settings() -> Guarantee<[String: Int]> { .value([:]) }

@MainActor final class Feed {
    var posts: [Post] = [], size = 0

    func load() {
        var seen = 0
        when(fulfilled: page(1), page(2), settings()).onMain.get { one, two, _ in seen += one.count + two.count }
            .map { one, two, settings in
                self.size = settings["size"] ?? seen
                return one + two
            }.done { self.posts = $0 }.cauterize()
    }
}

// A screen with a map. It passes methods as handlers. It returns, combines, and awaits promises that it gets from `onMain`.
struct Place: Sendable { var name = "" }
func places() -> Promise<[Place]> { .value([Place(name: "here")]) }
func detail(_ place: Place) -> Promise<String> { .value(place.name) }

@MainActor final class MapScreen {
    var lines: [String] = [], failure: (any Error)?
    func show(_ lines: [String]) { self.lines = lines }
    func show(_ error: any Error) { failure = error }

    func load() -> Promise<Void> {
        places().onMain.then { list in when(fulfilled: list.map { detail($0) }) }.done(show).promise
    }
    func plain() { places().onMain.map { $0.map { $0.name } }.done(show).catch(show) }
    func both() -> Promise<Void> { when(fulfilled: load(), load()).asVoid() }
    func wait() async throws {
        lines = try await places().onMain.map { $0.map { self.lines.joined() + $0.name } }.promise.value
    }
    func nested() {
        load().onMain.then { places().onMain.map { $0.count + self.lines.count }.promise }.done { print($0) }
            .cauterize()
    }
}

// A search field. Each search cancels the previous search, and a canceled search shows no error.
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
