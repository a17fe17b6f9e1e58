/// Tokens in files, as containers mount them: `EXIST_TOKEN_FILE` and `MYDATAHELPS_TOKEN_FILE`.
enum TokenFiles {
    /// Returns the environment, with the content of these files in the variables for tokens.
    ///
    /// - Throws: `UsageError` if a file has no token, or if its variable is set as well.
    static func read(_ environment: [String: String]) throws(UsageError) -> [String: String] {
        var environment = environment
        for service in Access.Service.allCases {
            let (name, file) = (service.tokenName, "\(service.tokenName)_FILE")
            guard let path = environment[file], !path.isEmpty else { continue }
            guard environment[name] == nil else {
                throw UsageError("\(name) and \(file) are both set: unset one of them.")
            }
            do throws(NoToken) {
                environment[name] = try StoredSecret("token", inFile: path).text()
            } catch {
                throw UsageError("\(file) is set, but \(error.problem).")
            }
        }
        return environment
    }

    /// Returns a warning for each variable that looks like a misspelled one of a service.
    static func misspelled(_ environment: [String: String]) -> [String] {
        let known =
            Access.Service.allCases.flatMap { [$0.tokenName, "\($0.tokenName)_FILE", $0.addressName] }
            + [Settings.tokenKind.name, LoginCommand.clientIDName, BrowserSignIn.secretName]
        return environment.keys.filter { name in
            !known.contains(name) && ["EXIST_", "MYDATAHELPS_"].contains { name.hasPrefix($0) }
        }.sorted().compactMap { name in
            let near = Nearest.hint(to: name, among: known)
            return near.isEmpty ? nil : "\(name) has no meaning here.\(near)"
        }
    }
}
