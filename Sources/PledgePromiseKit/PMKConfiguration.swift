import Dispatch

/// The configuration of all promises, under PromiseKit's name: a view of `PromiseConfiguration.shared`.
@_spi(PromiseKit) public var conf: PMKConfiguration {
    get { PMKConfiguration(base: .shared) }
    set { PromiseConfiguration.shared = newValue.base }
}

/// The settings an app may change once, at launch: `PromiseConfiguration` with PromiseKit's names.
@_spi(PromiseKit) public struct PMKConfiguration: Sendable {
    var base: PromiseConfiguration

    /// The queues for handlers that specify none. The default is the main queue; nil runs handlers on the thread that
    /// settles the promise. Pledge's own default, `.pledge`, counts as not set: to use it, specify `on: .pledge`.
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

    /// The errors that `catch` and `recover` handle if they specify no policy.
    public var catchPolicy: CatchPolicy {
        get { base.catchPolicy }
        set { base.catchPolicy = newValue }
    }

    /// A handler, called on any thread, for the events that PromiseKit defines; others are written to standard error.
    @preconcurrency public var logHandler: @Sendable (LogEvent) -> Void {
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
