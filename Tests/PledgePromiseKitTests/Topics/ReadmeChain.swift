@_spi(PromiseKit) import PledgePromiseKit

// The example of PromiseKit's introduction: a class of the main actor fetches two things at once, and then shows them.

@MainActor
final class Screen {
    private(set) var label = ""
    private(set) var spins = false

    func load() -> Promise<String> {
        let image = fetch("image").compactMap { Int($0.count) }
        let place = fetch("place").map { [$0] }.lastValue
        let (shown, seal) = Promise<String>.pending()

        spins = true
        firstly {
            when(fulfilled: image, place)
        }.done { image, place in
            self.label = "\(place) \(image)"
        }.ensure {
            self.spins = false
        }.catch { error in
            self.show(error)
        }.finally {
            seal.fulfill("\(self.label), \(self.spins ? "spinning" : "still")")
        }
        return shown
    }

    private func fetch(_ name: String) -> Promise<String> { .value(name) }
    private func show(_ error: Error) { label = "\(error)" }
}

func readmeChain() -> Promise<String> { MainActor.assumeIsolated { Screen().load() } }
