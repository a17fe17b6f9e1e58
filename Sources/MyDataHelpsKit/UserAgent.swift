import Foundation

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

    /// Removes characters that would end a header or split a word; returns nil if nothing is left.
    private static func tidy(_ text: String?) -> String? {
        let kept = String((text ?? "").unicodeScalars.filter { 0x21..<0x7F ~= $0.value })
        return kept.isEmpty ? nil : kept
    }

    private static var device: String {
        var names = utsname()
        uname(&names)
        // With zeros at its end, which are removed as well.
        return withUnsafeBytes(of: names.machine) { String(decoding: $0, as: UTF8.self) }
    }
}
