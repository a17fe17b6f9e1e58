import ExistKit
import MyDataHelpsKit
import Pledge

extension History {
    /// Brings an Exist account up to date.
    ///
    /// The first run reads everything, the next ones what may have changed: see <doc:Tables> for how much that is. What
    /// was read is written at once, together with the bookmark that says so: it can be ended at any moment.
    ///
    /// - Parameters:
    ///   - existAPI: whose data.
    ///   - name: what the account is called here; its user name unless given.
    ///   - options: how.
    /// - Rejects: with `ExistError` or ``DatabaseError``. What was written by then stays.
    /// - Cancellation: ends the request under way.
    public func sync(
        _ existAPI: ExistAPI, as name: String? = nil, options: SyncOptions = SyncOptions()
    ) -> Promise<SyncSummary> {
        sync("exist", as: name, options, asking: { existAPI.user().map(on: nil, \.user) }, name: \.username) {
            try ExistSteps(existAPI: existAPI, run: $0, today: $1.today).all($1)
        }
    }

    /// Brings a participant of MyDataHelps up to date, as it does an account of Exist.
    ///
    /// - Parameters:
    ///   - session: whose data.
    ///   - name: what the account is called here; the project's name for the participant unless given.
    ///   - options: how.
    /// - Rejects: with `MyDataHelpsError` or ``DatabaseError``. What was written by then stays.
    /// - Cancellation: ends the request under way.
    public func sync(
        _ session: ParticipantSession, as name: String? = nil, options: SyncOptions = SyncOptions()
    ) -> Promise<SyncSummary> {
        sync("mydatahelps", as: name, options, asking: session.getParticipantInfo, name: \.participantIdentifier) {
            try ParticipantSteps(session: session, run: $0).all($1)
        }
    }

    private func sync<Owner: Sendable>(
        _ service: String, as name: String?, _ options: SyncOptions,
        asking owner: @escaping @Sendable () -> Promise<Owner>, name ownName: @escaping @Sendable (Owner) -> String,
        _ steps: @escaping @Sendable (SyncRun, Owner) throws -> Promise<Void>
    ) -> Promise<SyncSummary> {
        @Sendable func run(
            _ name: String, _ owner: @escaping @Sendable () -> Promise<Owner>
        ) throws -> Promise<SyncSummary> {
            let run = try SyncRun(self, service: service, name: name, options: options)
            return run.following { owner().then(on: self.queue) { try steps(run, $0) } }
        }
        return firstly {
            // With a name there is something to note a failure by.
            if let name { return try run(name, owner) }
            return owner().then(on: self.queue) { owner in try run(ownName(owner)) { .value(owner) } }
        }
    }
}
