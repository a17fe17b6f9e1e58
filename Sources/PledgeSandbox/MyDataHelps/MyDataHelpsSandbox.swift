import Foundation

/// A simulation of the participant API of MyDataHelps, with some weeks of realistic data that is the same on every run.
///
///     let sandbox = try MyDataHelpsSandbox.start()
///     defer { sandbox.stop() }
///     // A client of MyDataHelps with `sandbox.baseURL` and `sandbox.token` now works without the internet.
///
/// Stored device data can be read back and updated, survey results can be deleted once, accounts change their status,
/// tokens expire, and every response includes the number of remaining requests. Where the documentation is silent, the
/// responses are plausible guesses.
public final class MyDataHelpsSandbox: Sendable {
    /// A closure that verifies a service account's signature, given the signed bytes and the signature.
    public typealias SignatureCheck = @Sendable (_ signed: Data, _ signature: Data) -> Bool

    /// A participant access token that does not expire.
    public let token: String
    /// The internal ID of the participant the data belongs to.
    public let participantID = ParticipantBackend.participantID
    /// The project's identifier for the participant.
    public let participantIdentifier = ParticipantBackend.participantIdentifier
    /// The internal ID of the project.
    public let projectID = ParticipantBackend.projectID
    /// The service account that can request tokens.
    public let serviceAccount: String

    /// The routes, under the paths of the real service, for a server of your own.
    public let routes: [ServerRoute]

    /// The server of this service alone, started by `start`; unused if another server serves the routes.
    public let server: LoopbackServer

    let access: ParticipantAccess
    let records: Protected<ParticipantRecords>

    /// Creates the service without starting a server.
    ///
    /// - Parameters:
    ///   - now: The current time; the data ends there, and it determines the expiry of tokens and the rate limit.
    ///   - redirects: The allowed prefixes of the URLs that end a connection to a provider.
    ///   - checkSignature: Verifies a service account's signature. Without it, every nonempty signature is accepted,
    ///     because verifying RS256 takes a cryptographic library, which the sandbox does not have.
    ///   - port: The port its own server listens on; 0 lets the system choose.
    ///   - isEmpty: Whether the participant starts without any activity.
    ///   - key: A text at the end of every token and of the service account's name. Choose one if others can reach the
    ///     server, because the part before it is public.
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

    /// Creates the service and starts its server; throws `ServerStartError` if the port is in use.
    public static func start(
        now: @escaping @Sendable () -> Date = { Date() },
        redirects: [String] = ["https://my.app/", "myapp://"], checkSignature: SignatureCheck? = nil, port: UInt16 = 0
    ) throws -> MyDataHelpsSandbox {
        let sandbox = MyDataHelpsSandbox(now: now, redirects: redirects, checkSignature: checkSignature, port: port)
        try sandbox.server.start()
        return sandbox
    }

    /// The root URL of its own server, `http://127.0.0.1:PORT/`; the API is under `api/v1/`, as in the real service.
    public var baseURL: URL { server.baseURL }

    /// Stops its own server.
    public func stop() { server.stop() }

    /// The maximum number of requests per token and hour; further requests get a 429. The default is 500.
    public var rateLimit: Int {
        get { access.tokens.limit ?? 0 }
        set { access.tokens.limit = newValue }
    }

    /// All scopes a participant's token can have. The scope `api`, which is older than the others, permits every call.
    public static let allScopes = ParticipantScope.all

    /// Adds a participant access token. All participants share their data, except for their identifiers and email
    /// addresses.
    ///
    /// - Parameters:
    ///   - token: The text after `Bearer`.
    ///   - participant: The project's identifier of the person, such as ``participantIdentifier``; nil for a new
    ///     person.
    ///   - scopes: The scopes of the token; calls that need another scope get a 403.
    ///   - lifetime: The number of seconds until the token expires; `nil` for never.
    public func addToken(
        _ token: String, of participant: String? = nil, scopes: Set<String> = ["api"], lifetime: TimeInterval? = nil
    ) {
        access.add(token, of: participant, scopes: scopes, lifetime: lifetime)
    }

    /// Invalidates a token, as if it had expired.
    public func expireToken(_ token: String) { access.tokens.remove(token) }
}

/// Changes to a participant's data, for tests of synchronization.
extension MyDataHelpsSandbox {
    private func put(_ item: ParticipantRecords.Item, into list: ParticipantList) {
        records.withLock { $0.put(item, into: list) }
    }

    /// Adds a data point, or replaces the one with its number.
    package func putPoint(
        _ number: Int, namespace: String, type: String, value: String, observed: Date, modified: Date
    ) {
        let second = Int(observed.timeIntervalSince1970.rounded(.down))
        var point = DeviceRecords.point(namespace, type, number: number, at: second, value, "count")
        point.json["id"] = .string(SandboxID.make(.point, number))
        point.json["insertedDate"] = .string(ZonedTime.text(observed))
        point.json["modifiedDate"] = .string(ZonedTime.text(modified))
        put(point, into: .points)
    }

    package func putTask(_ number: Int, status: String, inserted: Date, modified: Date) {
        put(SurveyRecords.task(.daily, number: number, status, assigned: inserted, changed: modified), into: .tasks)
    }

    package func putAnswer(_ number: Int, result: Int, _ texts: [String], inserted: Date) {
        var answer = SurveyRecords.answer(.daily, number: number, task: result, "step", texts, given: inserted)
        answer.json["insertedDate"] = .string(ZonedTime.text(inserted))
        put(answer, into: .answers)
    }

    package func putNotification(_ number: Int, status: String, sent: Date) {
        let content: ServerJSON = ["title": "Hello", "body": "A survey waits"]
        put(NotificationRecords.item(number, "Reminder", "Push", status, content, sent: sent), into: .notifications)
    }

    package func removeAnswers(result: Int) {
        let id = SandboxID.make(.result, result)
        records.withLock { $0[.answers].removeAll { $0.text("surveyResultID") == id } }
    }
}

/// The state of the service, and its routes. Each route declares who may call it.
struct ParticipantBackend: Sendable {
    static let participantID = "7B1D4C1E-0A55-4E6B-9C57-0F6B2B6E9A10"
    static let participantIdentifier = "ÅRE-0042"
    static let projectID = "2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41"
    static let linkIdentifier = "c0f1b5d2-77aa-4b0e-8f06-9c3f2d1e4a55"

    let access: ParticipantAccess
    let records: Protected<ParticipantRecords>
    let now: @Sendable () -> Date
    let serviceAccount: String
    /// The allowed prefixes of the URLs that end a connection to a provider.
    let redirects: [String]
    let checkSignature: MyDataHelpsSandbox.SignatureCheck?
    /// The IDs of the assertions that were used. Each assertion is valid once.
    let usedIDs = Protected<Set<String>>([])

    var routes: [ServerRoute] {
        // Every route also exists at `//api/`, for clients that join paths with an extra slash.
        api + api.map { ServerRoute("\($0.method) /\($0.path)", respond: $0.respond) } + [
            ServerRoute("POST \(Self.tokenPath)", respond: giveToken),
            ServerRoute("GET /external/authorize", respond: signIn),
            ServerRoute("GET /survey", respond: framedSurvey),
            access.participants("POST /survey", scopes: ParticipantScope.all, finishSurvey),
        ]
    }

    private var api: [ServerRoute] {
        ParticipantList.all.map(list) + [.points, .answers, .tasks].map(listForProject) + [
            access.serviceAccounts("participants", listParticipants),
            access.serviceAccounts("devicedatapoints/alldatatypes", dataTypes),
            access.serviceAccounts("devicedatapoints", version: 2, pointsV2),
            access.serviceAccounts("devicedatapoints/alldatatypes", version: 2, dataTypesV2),
            access.serviceAccounts("participants/{participant}", findParticipant),
            access.participants(
                "GET /api/v1/delegated/participant", scopes: [ParticipantScope.participant], participant),
            access.participants("GET /api/v1/delegated/project", scopes: [ParticipantScope.project], project),
            access.participants(
                "GET /api/v1/delegated/datacollectionsettings", scopes: [ParticipantScope.settings], settings),
            access.participants("POST /api/v1/delegated/devicedata", storePoints),
            access.participants("DELETE /api/v1/delegated/surveyresults/{result}", deleteResult),
            access.participants(
                "GET /api/v1/delegated/externalaccountproviders",
                scopes: [ParticipantScope.accounts, ParticipantScope.connecting], providers),
            access.participants(
                "POST /api/v1/delegated/externalaccountproviders/{provider}/connect",
                scopes: [ParticipantScope.connecting], connect),
            access.participants(
                "GET /api/v1/delegated/externalaccounts", scopes: [ParticipantScope.accounts], accounts),
            access.participants("POST /api/v1/delegated/externalaccounts/refresh/{account}", refreshAccount),
            access.participants("DELETE /api/cfhrprovideraccounts/account/{account}", deleteAccount),
        ]
    }

    private func list(_ list: ParticipantList) -> ServerRoute {
        access.participants("GET /api/v1/delegated/\(list.path ?? list.name)", scopes: list.scopes) { request in
            let query = ParticipantQuery(request)
            return try query.page(list.name, of: list.select(records.current[list], query))
        }
    }
}

/// IDs in the service's form, the same on every run.
enum SandboxID {
    /// The kind of record an ID belongs to. The position is part of the ID: append new cases at the end.
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
