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
}
