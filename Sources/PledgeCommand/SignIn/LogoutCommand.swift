import Foundation

/// `pledge logout`: removes what `pledge login` stored.
enum LogoutCommand {
    static let only = Option<Access.Service>.choice(
        "--only", ["exist": .exist, "mydatahelps": .mydatahelps], "forget the account of this service only")

    static let command = Command(
        name: "logout", summary: "forget a stored account", part: .accounts, options: [only, Access.profile],
        examples: [.init("pledge logout --profile study", "removes the profile, and what is in it")],
        notes: [
            .init(
                title: "WHAT STAYS",
                text: "The service has no call to void a token: remove the app on its own page to do that.")
        ]
    ) { arguments in
        let access = Access(arguments)
        let name = try access.profileName
        guard let store = ProfileStore(arguments.environment), try store.names.contains(name) else {
            throw UsageError("There is no profile “\(name)” to forget.")
        }
        guard let service = arguments[only] else {
            try store.remove(name)
            Terminal.tell("Forgot the profile “\(name)”.")
            return 0
        }
        try store.update(name) { profile in
            guard profile.has(service) else {
                throw UsageError("The profile “\(name)” has no account of \(service.title) to forget.")
            }
            if service == .exist { profile.exist = nil } else { profile.mydatahelps = nil }
        }
        Terminal.tell("Forgot the account of \(service.title) in the profile “\(name)”.")
        return 0
    }
}
