import Foundation

/// A headless browser.
package enum Chromium {
    package static let path = ["chromium", "chromium-browser", "google-chrome"].lazy.compactMap(Executable.path).first

    /// Returns the document at an address after its scripts have run.
    package static func dom(of url: URL, isDark: Bool = false) throws -> String {
        let profile = try TemporaryFolder()
        return try Executable.run(
            [
                path ?? "", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-proxy-server", "--user-data-dir=\(profile.url.path)", "--virtual-time-budget=5000",
                "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)", "--dump-dom", url.absoluteString,
            ], withErrors: false
        ).output
    }
}
