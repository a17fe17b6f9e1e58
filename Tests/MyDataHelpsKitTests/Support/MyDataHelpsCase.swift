import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

/// A sandbox at a fixed time, and a session for it. The sandbox runs as long as the case is alive.
final class MyDataHelpsCase: Sendable {
    /// Saturday, 2 March 2024, 11:00 in UTC.
    static let noon = Date(timeIntervalSince1970: 1_709_377_200)

    let sandbox: MyDataHelpsSandbox
    let client: MyDataHelpsClient
    let session: ParticipantSession
    let unreadable = Recorder<String>()

    init(
        token: String? = nil, timekeeper: Timekeeper? = nil, retry: RetryRule = .never, timeout: TimeInterval = 600,
        languageTag: String = "en-GB", checkSignature: MyDataHelpsSandbox.SignatureCheck? = nil
    ) throws {
        // Alarms fire only if a test advances the time. On a busy machine, real alarms could fire in the middle of a
        // test.
        let timekeeper = timekeeper ?? Timekeeper(now: { Self.noon }, schedule: { _, _ in {} })
        sandbox = try MyDataHelpsSandbox.start(now: timekeeper.now, checkSignature: checkSignature)
        let unreadable = unreadable
        client = MyDataHelpsClient(
            baseURL: sandbox.baseURL, languageTag: languageTag,
            options: MyDataHelpsClient.defaultOptions.with {
                $0.timeout = timeout
                // The app's own JSON coding must not affect the kit.
                ($0.retry, $0.json) = (retry, .snakeCase)
                $0.clock = timekeeper
                $0.onUnreadable = { list, item in unreadable.append("\(list) \(item)") }
            })
        session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: token ?? sandbox.token))
    }

    deinit { sandbox.stop() }

    /// The methods and targets of the requests that were sent, without the host.
    var targets: [String] { sandbox.server.requests.map { "\($0.method) \($0.target)" } }

    /// Returns the error of a call for the participant.
    func failure() async -> MyDataHelpsError? {
        await thrown(MyDataHelpsError.self) { try await session.getParticipantInfo() }
    }

    /// Sets the next response to a path, in place of the sandbox's own.
    func answer(_ path: String, status: Int = 200, type: String = "application/json", _ body: String) {
        sandbox.server.script.next(
            matching: path,
            respond: ServerResponse(status: status, headers: ["Content-Type": type], body: Data(body.utf8)))
    }
}

/// Returns the sample with a name from the API's documentation, or the JSON that is passed instead of a name.
func sample(_ name: String) throws -> Data {
    if name.hasPrefix("{") { return Data(name.utf8) }
    return Data(try Repository.text("Tests/MyDataHelpsKitTests/Fixtures/\(name).json").utf8)
}

/// Decodes a sample from the API's documentation.
func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    try JSONDecoder().decode(type, from: sample(name))
}

func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw NotAnAddress() }
    return url
}

struct NotAnAddress: Error {}

/// Returns the date that a text represents, for comparison.
func timestamp(_ text: String) throws -> Date {
    try JSONDecoder.myDataHelpsDecoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8))[0]
}

extension MyDataHelpsError {
    /// The name of the case, without its associated values, or the property that describes the failure.
    var name: String {
        if isCancelled { return "cancelled" }
        if isOffline { return "offline" }
        if isMissingAccessToken { return "noAccessToken" }
        return switch self {
        case .encodingError: "encodingError"
        case .decodingError: "decodingError"
        case .timedOut: "timedOut"
        case .unauthorizedRequest: "unauthorizedRequest"
        case .tooManyRequests: "tooManyRequests"
        case .serverError: "serverError"
        case .invalidSurvey: "invalidSurvey"
        case .webContentError: "webContentError"
        case .unknown: "unknown"
        }
    }

    /// The service's response, if it was an error.
    var response: HTTPResponseError? { underlyingError as? HTTPResponseError }
}
