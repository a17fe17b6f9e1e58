import Pledge

// error: main actor-isolated property 'label' can not be mutated from a nonisolated context

extension Screen {
    fileprivate func stopped() -> Promise<Int> { Promise { seal in seal.onCancel { self.label = "" } } }
}
