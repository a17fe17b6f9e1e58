import Pledge

// An editor: recover, only some errors, transform an error, wait for the work of an ensure.
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
