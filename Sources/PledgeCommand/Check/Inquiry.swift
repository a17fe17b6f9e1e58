import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
import PledgeHTTP

/// A transport that keeps the latest response to an API call, exactly as the service sent it. Requests that get a token
/// are ignored. They are recognized because they have no `Authorization` header.
private struct ResponseKeeper: HTTPTransport {
    let transport: any HTTPTransport
    let latest: Locked<RawResponse?>

    func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        let isCall = request.headers["Authorization"] != nil
        if isCall { latest.withLock { $0 = nil } }
        return transport.send(request).get(on: nil) { response in
            if isCall { latest.withLock { $0 = response } }
        }
    }
}

/// An API call, the response to it, and what our model read from the response.
struct Answer: Sendable {
    var name: String
    /// The maximum number of items that the call requested; nil if the response is not a list.
    var limit: Int?
    var seconds = 0.0
    var response: RawResponse?
    var failure: (any Error)?
    /// The body of the response; nil if the body is not JSON.
    var json: JSONValue?
    /// The model that was decoded from the response, encoded as JSON again.
    var read: JSONValue?
    /// The names of those properties of the model that are dictionaries. The keys of a dictionary are data, unlike the
    /// names of other members.
    var dictionaries: Set<String> = []
    /// The words in the model, such as the status of a survey task, by the name of their type. A service may add new
    /// words to such a type.
    var words: [String: Set<String>] = [:]
    var setAside: [UnreadableItem] = []
    var announcesLimit = false

    /// Whether the next call would fail for the same reason: there is no network, the token was refused, or a rate
    /// limit is reached.
    var isLast: Bool { failure != nil && response.map { [401, 429].contains($0.status) } ?? true }

    /// Whether the outcome says something about how the service behaves. An error that is due to the network, the
    /// token, or a temporary problem says nothing about that.
    var wasAnswered: Bool {
        guard failure != nil else { return true }
        guard let response else { return false }
        return ![401, 403, 408, 429].contains(response.status) && response.status < 500 && !response.headers.isHTML
    }

    /// The items of the list in the response. If the response is an object, they are the items of its longest array.
    /// Nil if there is no list.
    var items: [JSONValue]? {
        switch json {
        case .array(let items)?: return items
        case .object(let members)? where limit != nil:
            return members.values.compactMap { if case .array(let items) = $0 { items } else { nil } }
                .max { $0.count < $1.count }
        default: return nil
        }
    }
}

/// Sends the calls of a check to a service, one after another, and collects the answers.
final class Inquiry {
    private let clock: Timekeeper
    private let latest = Locked<RawResponse?>(nil)
    private let setAside = Locked<[UnreadableItem]>([])
    private(set) var answers: [Answer] = []
    /// The name of the check's tag if the tag could not be released; nil otherwise.
    private(set) var leftOver: String?

    init(_ clock: Timekeeper) { self.clock = clock }

    /// Changes the options of a client so that this inquiry receives the client's responses, and the items that the
    /// client could not read.
    func adapt(_ options: inout EndpointClient.Options) {
        options.transport = ResponseKeeper(transport: options.transport, latest: latest)
        // The client never retries a request, because the first response is the one to check.
        options.retry = .never
        options.onUnreadable = { [setAside] _, item in setAside.withLock { $0.append(item) } }
    }

    @discardableResult
    private func ask<Model: Encodable & Sendable>(
        _ name: String, limit: Int? = nil, _ call: @autoclosure () -> Promise<Model>
    ) -> Model? {
        // If the token was refused, a rate limit was reached, or there is no network, further calls would fail for the
        // same reason. So they are skipped.
        guard !answers.contains(where: \.isLast) else { return nil }
        setAside.withLock { $0 = [] }
        latest.withLock { $0 = nil }
        var answer = Answer(name: name, limit: limit)
        let begun = clock.uptime()
        let outcome = Result { try call().wait() }
        answer.seconds = clock.uptime() - begun
        answer.response = latest.withLock { $0 }
        answer.announcesLimit = answer.response.flatMap { RateLimit($0.headers, now: clock.now()) } != nil
        answer.setAside = setAside.withLock { $0 }
        answer.json = answer.response.flatMap { try? $0.json(JSONValue.self) }
        switch outcome {
        case .success(let model):
            answer.read = (try? JSONEncoder().encode(model)).flatMap {
                try? TapeDecoder.decode(JSONValue.self, from: JSONTape($0))
            }
            answer.collect(model)
        case .failure(let error): answer.failure = error
        }
        answers.append(answer)
        return try? outcome.get()
    }

    /// Sends the calls that read from Exist. Returns the user, or nil if the profile could not be read.
    @discardableResult func ask(_ existAPI: ExistAPI) -> User? {
        let limit = 20
        let user = ask("profile", existAPI.user().map(\.user))
        let attributes = ask("attributes", limit: 100, existAPI.page(.attributes(limit: 100)).map(\.page))
        ask("owned attributes", limit: limit, existAPI.page(.owned(limit: limit)).map(\.page))
        ask("templates", limit: limit, existAPI.page(.templates(limit: limit)).map(\.page))
        ask("values of a week", limit: limit, existAPI.page(.attributesWithValues(days: 7, limit: limit)).map(\.page))
        var types: Set<ValueType> = []
        for attribute in attributes?.results ?? [] where types.count < 9 && types.insert(attribute.valueType).inserted {
            let values = ExistQuery<ExistKit.Attribute.DayValue>.values(of: attribute.name, limit: limit)
            // The number of an unknown type comes from the service. It may be anything, so the name of the call
            // contains the word “unknown” instead.
            let type = if case .unknown = attribute.valueType { "unknown" } else { "\(attribute.valueType.rawValue)" }
            ask("values of type \(type)", limit: limit, existAPI.page(values).map(\.page))
        }
        ask("insights", limit: limit, existAPI.page(.insights(limit: limit)).map(\.page))
        ask("averages", limit: limit, existAPI.page(.averages(limit: limit)).map(\.page))
        let correlations = ask("correlations", limit: limit, existAPI.page(.correlations(limit: limit)).map(\.page))
        if let pair = correlations?.first {
            ask(
                "one correlation",
                existAPI.correlation(between: pair.attribute, and: pair.attribute2).map(\.correlation))
        }
        return user
    }

    /// Sends the calls that write to Exist: creates a tag, sets the tag for a day, and releases it. The tag stays in
    /// the account. If an earlier check has created the tag, it is used again.
    func askToWrite(_ existAPI: ExistAPI, on day: ExistDay) {
        let known = ask(
            "the tag", limit: 1,
            existAPI.page(.attributes(names: ["pledge_check"], includeInactive: true, limit: 1)).map(\.page))
        guard let known else { return }
        var name = known.first?.name
        if name == nil {
            name = ask("create", existAPI.create([.tag("Pledge check")]).map(\.attributeResponse))?.success.first?.name
        }
        guard let name else { return }
        ask("acquire", existAPI.acquire(names: [name]).map(\.attributeResponse))
        ask(
            "update",
            existAPI.update(attributes: [ValueUpdate(name: name, day: day, value: 1)]).map(\.attributeResponse))
        // The tag is released even if it could not be set, so that the tag doesn't stay acquired. If the service refuses
        // to release the tag, the call succeeds, but the tag isn't in the list of successes.
        let released = ask("release", existAPI.release(names: [name]).map(\.attributeResponse))?.success ?? []
        if !released.contains(where: { ExactText($0.name) == ExactText(name) }) { leftOver = name }
    }

    /// A page of providers whose members have the names that the service uses. The page type of the official SDK has
    /// other names.
    private struct Providers: Encodable {
        var externalAccountProviders: [ExternalAccountProvider]
        var totalExternalAccountProviders: Int

        init(_ page: ExternalAccountProvidersResultPage) {
            externalAccountProviders = page.items
            totalExternalAccountProviders = page.totalCount
        }
    }

    func ask(_ session: ParticipantSession) {
        let limit = 20
        ask("participant", session.getParticipantInfo())
        ask("project", session.getProjectInfo())
        let settings = ask("settings", session.getDataCollectionSettings())
        for (number, namespace) in (settings?.namespaces ?? []).prefix(6).enumerated() {
            ask(
                "device data of namespace \(number + 1)", limit: limit,
                session.queryDeviceData(DeviceDataQuery(namespace: .init(rawValue: namespace), limit: limit)))
        }
        ask("survey tasks", limit: limit, session.querySurveyTasks(SurveyTaskQuery(limit: limit)))
        ask("survey answers", limit: limit, session.querySurveyAnswers(SurveyAnswersQuery(limit: limit)))
        ask("notifications", limit: limit, session.queryNotifications(NotificationHistoryQuery(limit: limit)))
        ask("external accounts", session.externalAccountsPage())
        ask(
            "providers", limit: limit,
            session.queryExternalAccountProviders(ExternalAccountProvidersQuery(limit: limit)).map { Providers($0) })
    }

    func ask(_ account: ServiceAccount, of project: Project.ID) {
        let limit = 20
        let people = ask(
            "participants", limit: limit, account.page(ProjectParticipantsQuery(project: project, limit: limit)))
        let types = ask("types of device data V2", account.deviceDataV2Types(in: project))
        guard let type = types?.first, let person = people?.first else { return }
        let query = DeviceDataV2Query(
            project: project, namespace: type.namespace, type: type.type,
            participantIdentifier: person.participantIdentifier, limit: limit)
        ask("device data V2", limit: limit, account.page(query))
    }
}

extension Answer {
    /// Collects the names of dictionaries and the words in a model, at any depth.
    fileprivate mutating func collect(_ value: Any, named name: String? = nil) {
        if let word = value as? any ServiceWord {
            words["\(type(of: value))", default: []].insert(word.rawValue)
            return
        }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .dictionary || value is JSONValue {
            if let name { dictionaries.insert(name) }
            return
        }
        for child in mirror.children {
            // Only a property of a structure has a name of its own. The value in an optional and the items of an array
            // keep the name of the property that contains them.
            let label = mirror.displayStyle == .struct ? child.label : name
            collect(child.value, named: label)
        }
    }
}
