/// The options of a comparison.
struct Options {
    var rounds = 15
    var filter: String?
    var jsonPath: String?
    var checks = false

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--check":
                checks = true
            case "--rounds":
                guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
                    throw UsageError("--rounds needs a number above zero.")
                }
                rounds = count
            case "--filter":
                filter = try Self.value(of: argument, from: &rest)
            case "--json":
                jsonPath = try Self.value(of: argument, from: &rest)
            default:
                throw UsageError("\(argument) is not an option.")
            }
        }
    }

    /// Returns whether the filter includes a name.
    func includes(_ name: String) -> Bool {
        filter.map { name.lowercased().contains($0.lowercased()) } ?? true
    }

    private static func value(of option: String, from rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value.") }
        return value
    }
}
