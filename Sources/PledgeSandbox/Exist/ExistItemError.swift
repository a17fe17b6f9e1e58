/// The reason one item of a write failed.
enum ExistItemError: Error {
    case missing(fields: [String])
    case unauthorised(String)
    case validation(String)
    case exists
    case notFound(String)

    static func notOwned(_ name: String) -> ExistItemError {
        .unauthorised("Attribute '\(name)' does not belong to this service")
    }

    static func noScope(_ scope: String) -> ExistItemError {
        .unauthorised("No \(scope) scope")
    }

    func item(for sent: ExistItem, at index: Int) -> ServerJSON {
        let (code, message) = describe(at: index)
        return .object(sent.adding(["error_code": .string(code), "error": .string(message)]))
    }

    private func describe(at index: Int) -> (code: String, message: String) {
        switch self {
        case .missing(let fields):
            let names = fields.map { "'\($0)'" }.joined(separator: ",")
            return ("missing_field", "Object at index \(index) missing field(s) \(names)")
        case .unauthorised(let message): return ("unauthorised", message)
        case .validation(let message): return ("validation", message)
        case .exists: return ("exists", "An attribute with this name already exists")
        case .notFound(let name): return ("not_found", "Attribute '\(name)' does not exist")
        }
    }
}
