import Foundation
import Pledge
import PledgeCoding
@_exported import PledgeHTTP

/// The configuration for connecting to MyDataHelps. One client serves all participants, and each participant has a
/// ``ParticipantSession``.
public final class MyDataHelpsClient: Sendable {
    /// The version of the official SDK whose interface this kit matches.
    public static let SDKVersion = "2.0.0"

    /// The base URL of MyDataHelps itself.
    public static let serviceURL = URL(string: "https://mydatahelps.org/") ?? URL(fileURLWithPath: "/")

    /// The base URL of all requests. It ends with a slash.
    public let baseURL: URL
    /// The language in which the service returns the names of projects, surveys, and providers, such as `sv-SE`.
    public let languageTag: String
    /// The value of the `User-Agent` header.
    public var userAgent: String { options.userAgent }
    let options: EndpointClient.Options

    /// The default options of a client. The user agent names the app, this kit, and the device.
    ///
    /// The retry rule allows at most two retries of a request: if the service is overloaded, if the connection is lost,
    /// or if a response with status 429 says how long to wait.
    public static let defaultOptions = EndpointClient.Options().with {
        $0.retry = .overload
        $0.userAgent = UserAgent.current
        $0.bodyLimit = EndpointClient.Options.pageLimit
    }

    /// Creates a client of the service.
    ///
    /// - Parameters:
    ///   - baseURL: The service's root URL, with or without a path or a trailing slash. It must be an `https` URL, or
    ///     an `http` URL on this machine. The default is MyDataHelps itself.
    ///   - languageTag: The language of the service's texts. The default is the device's language.
    ///   - options: The transport, the clock, the retry rule, and other settings. The client retries idempotent
    ///     requests. It retries other requests only if they have had no effect.
    public init(
        baseURL: URL? = nil, languageTag: String? = nil,
        options: EndpointClient.Options = MyDataHelpsClient.defaultOptions
    ) {
        let tag = LanguageTag.tidy(languageTag ?? LanguageTag.current)
        self.baseURL = (baseURL ?? Self.serviceURL).asBase
        self.languageTag = tag
        self.options = options.with {
            $0.headers["Accept-Language"] = tag
            $0.json = .plain
            $0.advise = { [advise = options.advise] in advise($0) ?? MyDataHelpsError.advice($0) }
        }
    }

    /// Creates a client that uses the device's language. The official SDK has an initializer with the same signature.
    public convenience init(baseURL: URL? = nil) {
        self.init(baseURL: baseURL, languageTag: nil)
    }

    var clock: Timekeeper { options.clock }

    func endpointClient(_ authorizer: Authorizer) -> EndpointClient {
        EndpointClient(baseURL: baseURL, authorizer: authorizer, options: options)
    }
}

extension EndpointClient {
    /// Sends an endpoint, and reports the parts of the response that can't be decoded. Rejects with
    /// ``MyDataHelpsError``.
    func call<Response>(_ endpoint: Endpoint<Response>) -> Promise<Decoded<Response>> {
        fetch(endpoint).mapError(on: nil) { MyDataHelpsError($0) }
    }

    /// Returns the pages of a list. A page that can't be fetched leads to a ``MyDataHelpsError``.
    func sequence<Query: PagedQuery>(_ query: Query) -> PageSequence<Query> {
        PageSequence(query, meter: makeMeter(), failure: { MyDataHelpsError($0) }) { fetch($0.endpoint, charging: $1) }
    }

    /// Sends an endpoint, and reports the parts of the response that can't be decoded.
    ///
    /// The promise rejects with the error of the underlying client, and not with ``MyDataHelpsError``. A sequence of
    /// pages adds to this error the numbers of pages and items that it received before.
    private func fetch<Response>(
        _ endpoint: Endpoint<Response>, charging meter: BudgetMeter? = nil
    ) -> Promise<Decoded<Response>> {
        send(endpoint, charging: meter).get(on: nil) { decoded in
            let unreadable = (decoded.value as? any ResultPage)?.unreadable
            report(
                unreadable ?? (decoded.value as? ProjectDataCollectionSettings)?.unreadable ?? [], of: endpoint.path,
                by: "MyDataHelpsKit")
        }
    }
}

extension MyDataHelpsClient: Redacted {
    public var description: String { "MyDataHelpsClient(\(baseURL.redacted))" }
}

/// The user agent `<app>/<version> MyDataHelpsKit/<version> <device> (<system version>)`.
enum UserAgent {
    static var current: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return make(
            app: Bundle.main.bundleIdentifier,
            version: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String,
            device: device, system: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)")
    }

    static func make(app: String?, version: String?, device: String?, system: String) -> String {
        let name = tidy(app) ?? "UNKNOWN_CLIENT"
        let release = tidy(version).map { "/\($0)" } ?? ""
        let kit = "MyDataHelpsKit/\(MyDataHelpsClient.SDKVersion)"
        return "\(name)\(release) \(kit) \(tidy(device) ?? "UNKNOWN_DEVICE") (\(system))"
    }

    /// Removes the characters that would end a header or split a word. Returns nil if nothing is left.
    private static func tidy(_ text: String?) -> String? {
        let kept = String((text ?? "").unicodeScalars.filter { 0x21..<0x7F ~= $0.value })
        return kept.isEmpty ? nil : kept
    }

    private static var device: String {
        var names = utsname()
        uname(&names)
        // The text ends with null characters. `tidy(_:)` removes them.
        return withUnsafeBytes(of: names.machine) { String(decoding: $0, as: UTF8.self) }
    }
}

/// The requested language as an HTTP language tag, such as `sv-SE`.
enum LanguageTag {
    static var current: String { make(from: Locale.current.identifier) }

    /// Returns the language and the region of a locale such as `sv_SE`, `zh-Hans_CN`, or `en_US@calendar=buddhist`. If
    /// the locale has no language, the result begins with `en`.
    static func make(from identifier: String) -> String {
        let locale = Locale(identifier: identifier)
        // On a server, the locale may be “C”, which is not a language.
        let language = locale.languageCode.flatMap { 2...3 ~= $0.utf8.count ? $0 : nil } ?? "en"
        return language + (locale.regionCode.map { "-\($0)" } ?? "")
    }

    /// Returns the tag with only its ASCII letters, digits, and hyphens, so that it is safe in a header or an HTML
    /// attribute.
    static func tidy(_ tag: String) -> String {
        tag.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
}
