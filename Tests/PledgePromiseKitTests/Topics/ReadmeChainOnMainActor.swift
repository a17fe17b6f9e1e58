@_spi(PromiseKit) import PledgePromiseKit

// The chain of ReadmeChain.swift, written for the Swift 6 mode: `onMain` says where the handlers run, and the compiler reports
// no warnings.

@MainActor
final class ActorScreen {
    private(set) var label = ""
    private(set) var spins = false

    func load() -> Promise<String> {
        let image = Promise.value("image").onMain.compactMap { Int($0.count) }.promise
        let place = Promise.value(["place"]).lastValue
        let (shown, seal) = Promise<String>.pending()

        spins = true
        firstly { when(fulfilled: image, place) }.onMain.done { image, place in self.label = "\(place) \(image)" }
            .ensure { self.spins = false }.catch { error in self.label = "\(error)" }
            .finally { seal.fulfill("\(self.label), \(self.spins ? "spinning" : "still")") }
        return shown
    }
}

func readmeChainOnMainActor() -> Promise<String> { MainActor.assumeIsolated { ActorScreen().load() } }
