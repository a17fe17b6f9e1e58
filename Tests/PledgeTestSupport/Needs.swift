import Foundation
import Testing

/// Conditions for tests that need something from the system. If it is missing, the test is skipped, and the reason is shown.
extension Trait where Self == ConditionTrait {
    /// All of these programs are installed.
    package static func needs(_ programs: String...) -> Self {
        let missing = programs.filter { Executable.path($0) == nil }
        return .enabled(if: missing.isEmpty, "not installed: \(missing.joined(separator: ", "))")
    }

    /// A headless browser is installed.
    package static var chromium: Self { .enabled(if: Chromium.path != nil, "not installed: Chromium") }

    /// The tests don't run as root, who may do what file permissions forbid.
    package static var notRoot: Self { .enabled(if: geteuid() != 0, "root may do what permissions forbid") }

    /// The tests run as root, and can therefore create files that belong to two users.
    package static var twoUsers: Self { .enabled(if: geteuid() == 0, "only root can make files of two users") }

    /// The tests run as root, and a process may mount file systems for itself.
    package static var mounts: Self {
        let mount = ["unshare", "--mount", "mount", "--bind", "/tmp", "/tmp"]
        return .enabled(if: (try? Executable.run(mount))?.status == 0, "file systems cannot be mounted here")
    }

    /// This machine has an IPv6 address.
    package static var ipv6: Self { .enabled(if: isMine("::1"), "this machine has no IPv6") }

    /// This machine has a second loopback address, 127.0.0.2, with which tests detect a server that listens at all addresses.
    package static var secondLoopback: Self {
        .enabled(if: isMine("127.0.0.2"), "127.0.0.2 is not an address of this machine")
    }

    /// Whether a server on this machine may listen at the address.
    private static func isMine(_ address: String) -> Bool {
        guard let port = HeldPort(at: address) else { return false }
        port.release()
        return true
    }
}
