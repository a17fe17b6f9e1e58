#if os(Linux)
    import Foundation

    /// A queue for a session's delegate that blocks Foundation while it is full: otherwise, Foundation decompresses and
    /// enqueues as fast as it can, and turns a few hundred bytes into gigabytes before the first piece is examined.
    final class BoundedOperationQueue: OperationQueue, @unchecked Sendable {
        // Unchecked, like its superclass: its own properties never change and are safe to share.
        private let room: DispatchSemaphore
        private let patience: DispatchTimeInterval

        /// The queue holds `room` operations before it is full; an addition then blocks for at most `patience`, because
        /// an operation in the queue may itself wait for Foundation.
        init(room: Int = 64, patience: DispatchTimeInterval = .seconds(1)) {
            self.room = DispatchSemaphore(value: room)
            self.patience = patience
            super.init()
            // A session ensures the order only on a queue that it creates itself.
            maxConcurrentOperationCount = 1
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            let hasRoom = room.wait(timeout: .now() + patience) == .success
            super.addOperation { [room] in
                block()
                if hasRoom { room.signal() }
            }
        }
    }
#endif
