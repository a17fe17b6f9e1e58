import Pledge

// A callback wrapped in a promise: the resolver's closure runs here, its cancel hook on any thread.
final class Device: Sendable {
    func shoot(_ done: @escaping @Sendable (Int?, (any Error)?) -> Void) { done(7, nil) }
    func stop() {}
}

@MainActor final class Camera {
    let device = Device()
    var busy = false, picture = 0

    func shoot() -> Promise<Int> {
        Promise { seal in
            self.busy = true
            seal.onCancel { onMain { self.busy = false } }
            device.shoot { seal.resolve($0, $1) }
        }
    }

    func show() {
        firstly {
            busy = true
            return shoot()
        }.onMain.done { self.picture = $0 }.ensure { self.busy = false }.catch { _ in self.picture = 0 }
    }
}
