import Pledge

// Attempts that begin on the actor, and a few at a time.
@MainActor final class Upload {
    var progress = 0, busy = false, names: [String] = []

    func send(_ name: String) -> Promise<String> {
        progress += 1
        return .value(name)
    }

    func sendAll() {
        busy = true
        retry(attempts: 3) { onMain { self.send("a") } }.onMain.done { self.names = [$0] }.cauterize()
        when(fulfilled: ["a", "b"], concurrently: 2) { name in onMain { self.send(name) } }.onMain
            .done { self.names = $0 }.ensure { self.busy = false }.cauterize()
    }
}
