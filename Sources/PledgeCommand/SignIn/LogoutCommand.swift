enum LogoutCommand {
    static let command = Command(
        name: "logout", summary: "remove a stored profile, whose tokens only the service's own website can revoke",
        part: .accounts, options: [Access.profile],
        examples: [.init("pledge logout --profile study", "remove the profile “study” with its accounts")]
    ) { arguments in
        let name = try Access(arguments).profileName
        guard let store = ProfileStore(arguments.environment), try store.names.contains(name) else {
            throw UsageError("There is no profile “\(name)”.")
        }
        try store.remove(name)
        arguments.terminal.tell("Removed the profile “\(name)”.")
        return 0
    }
}
