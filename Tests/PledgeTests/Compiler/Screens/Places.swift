import Pledge

// Functions as handlers, lists, and promises of the view handed on: returned, combined, awaited.
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
