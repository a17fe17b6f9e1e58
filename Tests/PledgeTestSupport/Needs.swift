import Foundation
import Testing

/// What a test needs from the system. Where that is missing, the test is skipped, and says why.
extension Trait where Self == ConditionTrait {
    /// All of these programs.
    package static func needs(_ programs: String...) -> Self {
        let missing = programs.filter { Executable.path($0) == nil }
        return .enabled(if: missing.isEmpty, "not installed: \(missing.joined(separator: ", "))")
    }

    /// A headless browser.
    package static var chromium: Self { .enabled(if: Chromium.path != nil, "not installed: Chromium") }

    /// A user whom permissions bind.
    package static var notRoot: Self { .enabled(if: geteuid() != 0, "root may do what permissions forbid") }

    /// Files of two users, which only root can make.
    package static var twoUsers: Self { .enabled(if: geteuid() == 0, "only root can make files of two users") }

    /// File systems that a process of root may mount for itself.
    package static var mounts: Self {
        let mount = ["unshare", "--mount", "mount", "--bind", "/tmp", "/tmp"]
        return .enabled(if: (try? Executable.run(mount))?.status == 0, "file systems cannot be mounted here")
    }

    /// An IPv6 address of this machine.
    package static var ipv6: Self { .enabled(if: isMine("::1"), "this machine has no IPv6") }

    /// A loopback address other than 127.0.0.1, by which a server that listens everywhere is found out.
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
