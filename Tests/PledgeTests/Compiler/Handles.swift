import Foundation
import Pledge

// Common handles, such as timers and observer tokens, are not Sendable. An `onCancel` closure can still use them.

func workItem() -> Promise<Int> {
    Promise { seal in
        let item = DispatchWorkItem { seal.fulfill(1) }
        DispatchQueue.global().async(execute: item)
        seal.onCancel { item.cancel() }
    }
}

func source() -> Promise<Int> {
    Promise { seal in
        let source = DispatchSource.makeTimerSource()
        source.setEventHandler { seal.fulfill(1) }
        source.activate()
        seal.onCancel { source.cancel() }
    }
}

func timer() -> Promise<Int> {
    Promise { seal in
        let timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in seal.fulfill(1) }
        seal.onCancel { timer.invalidate() }
    }
}

func observer() -> Promise<Int> {
    Promise { seal in
        let center = NotificationCenter.default
        let token = center.addObserver(forName: .init("x"), object: nil, queue: nil) { _ in seal.fulfill(1) }
        seal.onCancel { NotificationCenter.default.removeObserver(token) }
    }
}

@MainActor final class Player {
    var isPlaying = false

    func play() -> Promise<Int> {
        Promise { seal in
            isPlaying = true
            let task = Task { seal.fulfill(1) }
            seal.onCancel(task.cancel)
            seal.onCancel { onMain { self.isPlaying = false } }
        }
    }
}
