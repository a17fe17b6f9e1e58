import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
import PledgeHTTP

/// Keeps the latest response to a call, as it came. Requests for a token have no token.
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

/// A call, what came, and what our model has read of it.
struct Answer: Sendable {
    var name: String
    /// The most items that were asked for; nil for what is no list.
    var limit: Int?
    var seconds = 0.0
    var response: RawResponse?
    var failure: (any Error)?
    /// What came; nil if it is no JSON.
    var json: JSONValue?
    /// What our model has read, written as JSON again.
    var read: JSONValue?
    /// The names of the model's properties whose members have names that are data.
    var dictionaries: Set<String> = []
    /// The words of open sets in the model, each after its type's name.
    var words: [String: Set<String>] = [:]
    var setAside: [UnreadableItem] = []

    /// Whether the next call would fail in the same way: without a network, with this token, or at a limit.
    var isLast: Bool { failure != nil && response.map { [401, 429].contains($0.status) } ?? true }

    /// Whether the outcome says something about the service, rather than about the network, the token, or the moment.
    var wasAnswered: Bool {
        guard failure != nil else { return true }
        guard let response else { return false }
        return ![401, 403, 408, 429].contains(response.status) && response.status < 500 && !response.headers.isHTML
    }

    /// The items of a list, wherever the response has it.
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

/// Asks a service one thing after another.
final class Inquiry {
    private let clock: Timekeeper
    private let latest = Locked<RawResponse?>(nil)
    private let setAside = Locked<[UnreadableItem]>([])
    private(set) var answers: [Answer] = []
    /// The tag that could not be given up.
    private(set) var leftOver: String?

    init(_ clock: Timekeeper) { self.clock = clock }

    /// Lets a client's responses, and what it cannot read of them, be noted here.
    func adapt(_ options: inout EndpointClient.Options) {
        options.transport = ResponseKeeper(transport: options.transport, latest: latest)
        // A response counts as it came first, and no request is sent twice.
        options.retry = .never
        options.onUnreadable = { [setAside] _, item in setAside.withLock { $0.append(item) } }
    }

    @discardableResult
    private func ask<Model: Encodable & Sendable>(
        _ name: String, limit: Int? = nil, _ call: @autoclosure () -> Promise<Model>
    ) -> Model? {
        // A refused token, a limit, or a network fails what follows in the same way.
        guard !answers.contains(where: \.isLast) else { return nil }
        setAside.withLock { $0 = [] }
        latest.withLock { $0 = nil }
        var answer = Answer(name: name, limit: limit)
        let begun = clock.uptime()
        let outcome = Result { try call().wait() }
        answer.seconds = clock.uptime() - begun
        answer.response = latest.withLock { $0 }
        answer.setAside = setAside.withLock { $0 }
        answer.json = answer.response.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0.body) }
        switch outcome {
        case .success(let model):
            answer.read = (try? JSONEncoder().encode(model)).flatMap {
                try? JSONDecoder().decode(JSONValue.self, from: $0)
            }
            answer.note(model)
        case .failure(let error): answer.failure = error
        }
        answers.append(answer)
        return try? outcome.get()
    }

    /// Returns the user; nil if that could not be read.
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
            // A type that is not known could be any number.
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

    /// Creates a tag, unless an earlier check has, sets it for a day, and gives it up: it stays in the account.
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
        // Also after a failure, so that the tag does not stay with this token.
        if ask("release", existAPI.release(names: [name]).map(\.attributeResponse)) == nil { leftOver = name }
    }

    /// A page of providers in the service's own form, which the official SDK's page has no more.
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
        let namespaces = Set((settings?.queryableDeviceDataTypes ?? []).map(\.namespace)).sorted { "\($0)" < "\($1)" }
        for (number, namespace) in namespaces.prefix(6).enumerated() {
            ask(
                "device data of namespace \(number + 1)", limit: limit,
                session.queryDeviceData(DeviceDataQuery(namespace: namespace, limit: limit)))
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
    /// Finds the dictionaries and the words in a model, at any depth.
    fileprivate mutating func note(_ value: Any, named name: String? = nil) {
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
            // An optional's only child, and the items of a list, are still the property's.
            let label = mirror.displayStyle == .struct ? child.label : name
            note(child.value, named: label)
        }
    }
}
