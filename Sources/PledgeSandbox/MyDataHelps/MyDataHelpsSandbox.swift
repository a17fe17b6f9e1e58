import Foundation

/// A simulation of the MyDataHelps API for participants. It has some weeks of realistic data, which is the same on
/// every run.
///
///     let sandbox = try MyDataHelpsSandbox.start()
///     defer { sandbox.stop() }
///     // A client of MyDataHelps with `sandbox.baseURL` and `sandbox.token` now works without the internet.
///
/// Clients can store device data, read it back, and update it. They can delete survey results, and connect external
/// accounts, whose status then changes. Tokens expire, and responses to participants have the number of requests that
/// are left. Where the documentation of MyDataHelps is silent, the responses are plausible guesses.
public final class MyDataHelpsSandbox: Sendable {
    /// A closure that verifies the signature of a service account. It gets the signed bytes and the signature.
    public typealias SignatureCheck = @Sendable (_ signed: Data, _ signature: Data) -> Bool

    /// A participant access token that does not expire.
    public let token: String
    /// The internal ID of the participant that the data belongs to.
    public let participantID = ParticipantBackend.participantID
    /// The participant identifier, which is the project's own identifier for the participant.
    public let participantIdentifier = ParticipantBackend.participantIdentifier
    /// The internal ID of the project.
    public let projectID = ParticipantBackend.projectID
    /// The name of the service account that can request tokens.
    public let serviceAccount: String

    /// The routes of the service, under the same paths as in the real service. You can add them to a server of your
    /// own.
    public let routes: [ServerRoute]

    /// The sandbox's own server, which serves only this service. `start` starts it. It is unused if you add the routes
    /// to another server.
    public let server: LoopbackServer

    let access: ParticipantAccess
    let records: Protected<ParticipantRecords>

    /// Creates a sandbox without starting its server.
    ///
    /// - Parameters:
    ///   - now: Returns the current time. The generated data ends at this time. It also determines when tokens expire,
    ///     and when the rate limit is reset.
    ///   - redirects: The allowed beginnings of the URLs to which participants return after they have connected a
    ///     provider.
    ///   - checkSignature: Verifies the signature of a service account. If it is nil, every nonempty signature is
    ///     accepted. The sandbox cannot verify signatures itself, because that takes a cryptographic library for RS256.
    ///   - port: The port that the sandbox's own server listens on. If it is 0, the system chooses a free port.
    ///   - isEmpty: Whether the participant starts without device data, survey tasks, survey answers, and
    ///     notifications.
    ///   - key: A text that is appended to every token, and to the name of the service account. Choose a secret text if
    ///     others can reach the server, because the tokens without it are public.
    public init(
        now: @escaping @Sendable () -> Date = { Date() },
        redirects: [String] = ["https://my.app/", "myapp://"], checkSignature: SignatureCheck? = nil,
        port: UInt16 = 0, isEmpty: Bool = false, key: String = ""
    ) {
        token = "eyJwYXJ0aWNpcGFudCI6Im1heWEifQ.sandbox" + key
        serviceAccount = "MyDataHelps.4711.NordicSleep" + key
        access = ParticipantAccess(now: now, key: key)
        records = Protected(ParticipantRecords(now: now(), isEmpty: isEmpty))
        let backend = ParticipantBackend(
            access: access, records: records, now: now, serviceAccount: serviceAccount, redirects: redirects,
            checkSignature: checkSignature)
        routes = backend.routes
        server = LoopbackServer(routes: routes, port: port)
        addToken(token, of: participantIdentifier)
    }

    /// Creates a sandbox and starts its server.
    ///
    /// - Throws: `ServerStartError`, for example if the port is in use.
    public static func start(
        now: @escaping @Sendable () -> Date = { Date() },
        redirects: [String] = ["https://my.app/", "myapp://"], checkSignature: SignatureCheck? = nil, port: UInt16 = 0
    ) throws -> MyDataHelpsSandbox {
        let sandbox = MyDataHelpsSandbox(now: now, redirects: redirects, checkSignature: checkSignature, port: port)
        try sandbox.server.start()
        return sandbox
    }

    /// The root URL of the sandbox's own server, `http://127.0.0.1:PORT/`. The API is under `api/v1/`, as in the real
    /// service.
    public var baseURL: URL { server.baseURL }

    /// Stops the sandbox's own server.
    public func stop() { server.stop() }

    /// The maximum number of requests with a participant's token in an hour. Further requests get a 429. The default is
    /// 500.
    public var rateLimit: Int {
        get { access.hourlyLimit.limit ?? 0 }
        set { access.hourlyLimit.limit = newValue }
    }

    /// All scopes that a participant's token can have. The scope `api`, which is older than the others, permits every
    /// call.
    public static let allScopes = ParticipantScope.all

    /// Adds an access token of a participant. All participants have the same data, except for their identifiers and
    /// email addresses.
    ///
    /// - Parameters:
    ///   - token: The token, which is the text after `Bearer` in the `Authorization` header.
    ///   - participant: The participant identifier of the person, such as ``participantIdentifier``. If it is nil, a
    ///     new person is added.
    ///   - scopes: The scopes of the token. Calls that need a different scope get a 403.
    ///   - lifetime: The number of seconds until the token expires; nil if it never expires.
    public func addToken(
        _ token: String, of participant: String? = nil, scopes: Set<String> = ["api"], lifetime: TimeInterval? = nil
    ) {
        access.add(token, of: participant, scopes: scopes, lifetime: lifetime)
    }

    /// Invalidates a token, as if it had expired.
    public func expireToken(_ token: String) { access.tokens.remove(token) }
}

/// Methods that change the participant's data, for tests of syncing.
extension MyDataHelpsSandbox {
    private func put(_ item: ParticipantRecords.Item, into list: ParticipantList) {
        records.withLock { $0.put(item, into: list) }
    }

    /// Adds a data point, or replaces the data point that has the same number.
    package func putPoint(
        _ number: Int, namespace: String, type: String, value: String, observed: Date, modified: Date
    ) {
        let second = Int(observed.timeIntervalSince1970.rounded(.down))
        var point = InitialPoints.point(namespace, type, number: number, at: second, value, "count")
        point.json["id"] = .string(SandboxID.make(.point, number))
        point.json["insertedDate"] = .string(ZonedTime.text(observed))
        point.json["modifiedDate"] = .string(ZonedTime.text(modified))
        put(point, into: .points)
    }

    package func putTask(_ number: Int, status: String, inserted: Date, modified: Date) {
        put(InitialSurveys.task(.daily, number: number, status, assigned: inserted, changed: modified), into: .tasks)
    }

    package func putAnswer(_ number: Int, result: Int, _ texts: [String], inserted: Date) {
        var answer = InitialSurveys.answer(.daily, number: number, task: result, "step", texts, given: inserted)
        answer.json["insertedDate"] = .string(ZonedTime.text(inserted))
        put(answer, into: .answers)
    }

    package func putNotification(_ number: Int, status: String, sent: Date) {
        let content: ServerJSON = ["title": "Hello", "body": "A survey waits"]
        put(InitialNotifications.item(number, "Reminder", "Push", status, content, sent: sent), into: .notifications)
    }

    package func removeAnswers(result: Int) {
        let id = SandboxID.make(.result, result)
        records.withLock { $0[.answers].removeAll { $0.text("surveyResultID") == id } }
    }
}

/// The state of the service, and its routes. Each route says which tokens may call it.
struct ParticipantBackend: Sendable {
    static let participantID = "7B1D4C1E-0A55-4E6B-9C57-0F6B2B6E9A10"
    static let participantIdentifier = "ÅRE-0042"
    static let projectID = "2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41"
    static let linkIdentifier = "c0f1b5d2-77aa-4b0e-8f06-9c3f2d1e4a55"

    let access: ParticipantAccess
    let records: Protected<ParticipantRecords>
    let now: @Sendable () -> Date
    let serviceAccount: String
    /// The allowed beginnings of the URLs to which participants return after they have connected a provider.
    let redirects: [String]
    let checkSignature: MyDataHelpsSandbox.SignatureCheck?
    /// The IDs of the assertions that service accounts have used. An assertion is valid only once.
    let usedIDs = Protected<Set<String>>([])

    var routes: [ServerRoute] {
        // Every route of the API also exists under `//api/`, because some clients put an extra slash between two parts
        // of the path.
        api + api.map { ServerRoute("\($0.method) /\($0.path)", respond: $0.respond) } + [
            ServerRoute("POST \(Self.tokenPath)", respond: giveToken),
            ServerRoute("GET /external/authorize", respond: signIn),
            ServerRoute("GET /survey", respond: framedSurvey),
            access.participantRoute("POST /survey", scopes: ParticipantScope.all, finishSurvey),
        ]
    }

    private var api: [ServerRoute] {
        ParticipantList.all.map(list) + ParticipantList.all.compactMap(listForProject) + [
            access.serviceRoute("participants", listParticipants),
            access.serviceRoute("devicedatapoints/alldatatypes", dataTypes),
            access.serviceRoute("devicedatapoints", version: 2, pointsV2),
            access.serviceRoute("devicedatapoints/alldatatypes", version: 2, dataTypesV2),
            access.serviceRoute("participants/{participant}", findParticipant),
            access.participantRoute(
                "GET /api/v1/delegated/participant", scopes: [ParticipantScope.participant], participant),
            access.participantRoute("GET /api/v1/delegated/project", scopes: [ParticipantScope.project], project),
            access.participantRoute(
                "GET /api/v1/delegated/datacollectionsettings", scopes: [ParticipantScope.settings], settings),
            access.participantRoute("POST /api/v1/delegated/devicedata", storePoints),
            access.participantRoute("DELETE /api/v1/delegated/surveyresults/{result}", deleteResult),
            access.participantRoute(
                "GET /api/v1/delegated/externalaccountproviders",
                scopes: [ParticipantScope.accounts, ParticipantScope.connecting], providers),
            access.participantRoute(
                "POST /api/v1/delegated/externalaccountproviders/{provider}/connect",
                scopes: [ParticipantScope.connecting], connect),
            access.participantRoute(
                "GET /api/v1/delegated/externalaccounts", scopes: [ParticipantScope.accounts], accounts),
            access.participantRoute("POST /api/v1/delegated/externalaccounts/refresh/{account}", refreshAccount),
            access.participantRoute("DELETE /api/cfhrprovideraccounts/account/{account}", deleteAccount),
        ]
    }

    private func list(_ list: ParticipantList) -> ServerRoute {
        access.participantRoute("GET /api/v1/delegated/\(list.path)", scopes: list.scopes) { request in
            let query = ParticipantQuery(request)
            return try query.page(list.name, of: list.select(records.current[list], query))
        }
    }
}

/// IDs in the form that the service uses. They are the same on every run.
enum SandboxID {
    /// The kind of record that an ID belongs to. The position of a case is part of the IDs, so add new cases only at
    /// the end.
    enum Kind: Int {
        case point, context, task, survey, result, answer, notification, ticket, organization, person, link,
            segment, pointV2
    }

    static func make(_ kind: Kind, _ number: Int) -> String {
        let digits = String(number, radix: 16)
        let tail = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        return "a1b2c3\((10 + kind.rawValue).padded(to: 2))-5a1c-4f2e-9b3d-\(tail)"
    }
}
