import Dispatch

/// The configuration of all promises, under PromiseKit's name: a view of `PromiseConfiguration.shared`.
public var conf: PMKConfiguration {
    get { PMKConfiguration(base: .shared) }
    set { PromiseConfiguration.shared = newValue.base }
}

/// What an app may set once, at launch: `PromiseConfiguration` as PromiseKit spells it.
public struct PMKConfiguration: Sendable {
    var base: PromiseConfiguration

    /// Where handlers run that name no queue: the main queue, unless something else has been set. Nil is right where
    /// the promise settles.
    ///
    /// Pledge's own default, `.pledge`, counts as nothing having been set: to have it, say `on: .pledge`.
    public var Q: (map: DispatchQueue?, return: DispatchQueue?) {
        get {
            let queues = base.queues
            return (
                queues.map === DispatchQueue.pledge ? .main : queues.map,
                queues.return === DispatchQueue.pledge ? .main : queues.return
            )
        }
        set { base.queues = newValue }
    }

    /// Which errors a `catch` or `recover` gets that does not say.
    public var catchPolicy: CatchPolicy {
        get { base.catchPolicy }
        set { base.catchPolicy = newValue }
    }

    /// Told of the events that PromiseKit knows; the others go on to standard error.
    ///
    /// It may be called from any thread.
    @preconcurrency
    public var logHandler: @Sendable (LogEvent) -> Void {
        get {
            let log = base.logHandler
            return { event in log(event.event) }
        }
        set {
            let other = PromiseConfiguration().logHandler
            base.logHandler = { event in LogEvent(event).map(newValue) ?? other(event) }
        }
    }
}
