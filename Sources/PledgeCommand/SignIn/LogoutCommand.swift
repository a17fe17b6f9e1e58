import ExistKit
import Foundation

enum LogoutCommand {
    static let only = Option<Access.Service>.choice(
        "--only", ["exist": .exist, "mydatahelps": .mydatahelps], "remove only the account of this service")

    static let command = Command(
        name: "logout", summary: "remove a stored account; only the service's website can revoke its token",
        part: .accounts, options: [only, Access.profile],
        examples: ["pledge logout --profile study": "remove the profile “study” with its accounts"]
    ) { arguments in
        let access = try Access(arguments)
        let name = try access.profileName
        let stored = ProfileStore(arguments.environment, saying: arguments.terminal)
        guard let store = stored, try store.names.contains(name) else {
            throw UsageError("There is no profile “\(name)”.")
        }
        guard let service = arguments[only] else {
            try store.remove(name)
            arguments.terminal.notify("Removed the profile “\(name)”.")
            return .success
        }
        try store.update(name) { profile in
            guard profile.account(service) != nil else {
                throw UsageError("The profile “\(name)” has no account of \(service.title).")
            }
            if service == .exist { profile.exist = nil } else { profile.mydatahelps = nil }
        }
        arguments.terminal.notify("Removed the account of \(service.title) from the profile “\(name)”.")
        return .success
    }
}
