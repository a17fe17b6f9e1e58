#if os(Linux)
    import Foundation

    /// A queue for a session's delegate that lets Foundation wait while it is full.
    ///
    /// Without, Foundation unpacks as fast as it can and lines the pieces up: a few hundred bytes become gigabytes before
    /// the first piece is looked at, and found to be too much.
    final class BoundedOperationQueue: OperationQueue, @unchecked Sendable {
        // Unchecked, as its superclass is: what is added never changes, and may be used by all.
        private let room: DispatchSemaphore
        private let patience: DispatchTimeInterval

        /// - Parameters:
        ///   - room: how many operations it takes before it is full.
        ///   - patience: how long somebody waits at most. Not for ever: should what is in the queue wait for Foundation,
        ///     neither would go on.
        init(room: Int = 64, patience: DispatchTimeInterval = .seconds(1)) {
            self.room = DispatchSemaphore(value: room)
            self.patience = patience
            super.init()
            // A session sees to the order only of a queue that it makes itself.
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
