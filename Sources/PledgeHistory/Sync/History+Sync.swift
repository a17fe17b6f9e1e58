import ExistKit
import MyDataHelpsKit
import Pledge

extension History {
    /// Updates the stored data of an Exist account.
    ///
    /// The first sync reads everything, later ones what may have changed; <doc:Tables> describes how much that is. Each
    /// response is written immediately, together with a bookmark, so a sync can be interrupted at any time.
    ///
    /// - Parameters:
    ///   - existAPI: The client of the account.
    ///   - name: The name of the account in the history. The default is its user name.
    ///   - options: The options that control the sync.
    /// - Rejects: With `ExistError` or ``DatabaseError``; with ``IdentityChange`` if the token belongs to another person
    ///   than the account, or does so later. What was written until then remains.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func sync(
        _ existAPI: ExistAPI, as name: String? = nil, options: SyncOptions = SyncOptions()
    ) -> Promise<SyncSummary> {
        let (existAPI, owner) = existAPI.ofOneOwner()
        return sync(
            .exist, as: name, options, counting: { existAPI.requestCount }, hiding: existAPI.hide, asking: owner,
            name: \.username
        ) {
            try ExistSteps(existAPI: existAPI, run: $0, today: $1.today).all($1)
        }
    }

    /// Updates the stored data of a MyDataHelps participant; the default of `name` is the participant identifier.
    ///
    /// - Parameters:
    ///   - session: The session of the participant.
    ///   - name: The name of the account in the history.
    ///   - serviceAccount: A service account of the participant's project, which reads version 2 of the device data, such
    ///     as Google Health. Without one, that is left out, because participants' tokens have no known access to it.
    ///   - options: The options that control the sync.
    /// - Rejects: With `MyDataHelpsError`, ``DatabaseError``, or ``IdentityChange``. What was written until then remains.
    public func sync(
        _ session: ParticipantSession, as name: String? = nil, serviceAccount: ServiceAccount? = nil,
        options: SyncOptions = SyncOptions()
    ) -> Promise<SyncSummary> {
        let (session, owner) = session.ofOneOwner()
        return sync(
            .mydatahelps, as: name, options,
            counting: { session.requestCount + (serviceAccount?.ownRequestCount ?? 0) }, hiding: session.hide,
            asking: owner, name: \.participantIdentifier
        ) {
            try ParticipantSteps(session: session, serviceAccount: serviceAccount, run: $0).all($1)
        }
    }

    /// Returns the accounts of which the last sync left something out of date, with the error's code; nil if
    /// interrupted.
    package func failures() throws -> [(service: Service, account: String, kind: String?)] {
        try query(
            """
            SELECT service, name, kind FROM account
            JOIN sync_run ON sync_run.id = (SELECT max(id) FROM sync_run WHERE account = account.id)
            WHERE outcome IS NOT 'done' OR kind NOTNULL
            """
        ).rows.compactMap { row in
            guard let service = row[0].text.flatMap(Service.init), let name = row[1].text else { return nil }
            return (service, name, row[2].text)
        }
    }

    private func sync<Owner: Sendable>(
        _ service: Service, as name: String?, _ options: SyncOptions, counting requests: @escaping @Sendable () -> Int,
        hiding hide: @escaping @Sendable (String) -> String, asking owner: @escaping @Sendable () -> Promise<Owner>,
        name ownName: @escaping @Sendable (Owner) -> String,
        _ steps: @escaping @Sendable (SyncRun, Owner) throws -> Promise<Void>
    ) -> Promise<SyncSummary> {
        let (before, isOwn) = (requests(), name == nil)
        @Sendable func run(
            _ name: String, _ owner: @escaping @Sendable () -> Promise<Owner>
        ) throws -> Promise<SyncSummary> {
            let run = try SyncRun(
                self, service: service.rawValue, name: name, options: options, hiding: hide
            ) { requests() - before }
            if isOwn, let other = run.other {
                // Perhaps the token is another person's.
                run.record(note: "“\(name.prefix(40))” is a new account here, beside “\(other.prefix(40))”.")
            }
            return run.following { owner().then(on: self.queue) { try steps(run, $0) } }
        }
        return firstly {
            // If the name is given, even a failure to read the owner can be recorded.
            if let name { return try run(name, owner) }
            return owner().then(on: self.queue) { owner in try run(ownName(owner)) { .value(owner) } }
        }
    }
}
