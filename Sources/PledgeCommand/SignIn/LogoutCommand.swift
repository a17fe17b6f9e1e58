import Foundation

enum LogoutCommand {
    static let only = Option<Access.Service>.choice(
        "--only", ["exist": .exist, "mydatahelps": .mydatahelps], "remove only the account of this service")

    static let command = Command(
        name: "logout", summary: "remove a stored account, whose token only the service's own website can revoke",
        part: .accounts, options: [only, Access.profile],
        examples: ["pledge logout --profile study": "remove the profile “study” with its accounts"]
    ) { arguments in
        let access = try Access(arguments)
        let name = try access.profileName
        guard let store = ProfileStore(arguments.environment), try store.names.contains(name) else {
            throw UsageError("There is no profile “\(name)”.")
        }
        guard let service = arguments[only] else {
            try store.remove(name)
            arguments.terminal.tell("Removed the profile “\(name)”.")
            return 0
        }
        try store.update(name) { profile in
            guard profile.account(service) != nil else {
                throw UsageError("The profile “\(name)” has no account of \(service.title).")
            }
            if service == .exist { profile.exist = nil } else { profile.mydatahelps = nil }
        }
        arguments.terminal.tell("Removed the account of \(service.title) from the profile “\(name)”.")
        return 0
    }
}
