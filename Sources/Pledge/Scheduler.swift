import Dispatch

#if DEBUG
    /// Chooses which thread runs next, in place of the system. Tests use it to try every order of threads. It exists in
    /// debug builds only.
    package protocol Scheduler: AnyObject {
        func willLock(_ lock: LockedObject)
        func didUnlock(_ lock: LockedObject)
        func willWait(for signal: DispatchSemaphore, until deadline: DispatchTime)
        func post(_ block: @escaping () -> Void, to queue: DispatchQueue)
    }

    nonisolated(unsafe) package var scheduler: (any Scheduler)?
    // Unsafe: the scheduler is set only while there is a single thread.

    // Inside this module, calls of `async` use these methods. The compiler prefers them to Dispatch's method, which has
    // more parameters.
    extension DispatchQueue {
        func async(execute block: @escaping @Sendable () -> Void) { async(flags: [], execute: block) }

        func async(flags: DispatchWorkItemFlags, execute block: @escaping @Sendable () -> Void) {
            if let scheduler { return scheduler.post(block, to: self) }
            async(group: nil, flags: flags, execute: block)
        }
    }
#endif
