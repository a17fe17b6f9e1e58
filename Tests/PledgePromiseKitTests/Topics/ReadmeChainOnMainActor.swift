import PledgePromiseKit

// The same as the Swift 6 mode would have it: each handler says where it runs, and there is nothing to warn of.

@MainActor
final class ActorScreen {
    private(set) var label = ""
    private(set) var spins = false

    func load() -> Promise<String> {
        let image = Promise.value("image").compactMap(on: MainActor.shared) { Int($0.count) }
        let place = Promise.value(["place"]).lastValue
        let (shown, seal) = Promise<String>.pending()

        spins = true
        firstly {
            when(fulfilled: image, place)
        }.done(on: MainActor.shared) { image, place in
            self.label = "\(place) \(image)"
        }.ensure(on: MainActor.shared) {
            self.spins = false
        }.catch(on: MainActor.shared) { error in
            self.label = "\(error)"
        }.finally(on: MainActor.shared) {
            seal.fulfill("\(self.label), \(self.spins ? "spinning" : "still")")
        }
        return shown
    }
}

func readmeChainOnMainActor() -> Promise<String> { MainActor.assumeIsolated { ActorScreen().load() } }
