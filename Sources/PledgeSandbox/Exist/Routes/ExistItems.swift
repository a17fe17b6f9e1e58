typealias ExistItem = [String: ServerJSON]

extension ExistBackend {
    private static let mostItems = 35

    /// Processes the items of a write in order, each after the effects of those before. Responds with 200, or 202 if
    /// some fail; throws a 400 unless the body is a list of at most 35 items.
    func write(
        _ request: ServerRequest,
        each change: (inout ExistRecords, ExistItem) throws(ExistItemError) -> ServerJSON
    ) throws -> ServerResponse {
        func fault(_ message: String) -> ServerResponse {
            .json(["error": .string(message), "error_code": "invalid"], status: 400)
        }
        guard let items = request.json?.array else { throw fault("Expected a list of objects") }
        guard items.count <= Self.mostItems else {
            throw fault("Expected at most \(Self.mostItems) objects, got \(items.count)")
        }
        var (success, failed): ([ServerJSON], [ServerJSON]) = ([], [])
        records.withLock { records in
            for (index, element) in items.enumerated() {
                do throws(ExistItemError) {
                    guard let item = element.object else { throw .validation("Item is not an object") }
                    success.append(try change(&records, item))
                } catch {
                    failed.append(error.item(for: element.object ?? [:], at: index))
                }
            }
        }
        return .json(
            ["success": .array(success), "failed": .array(failed)], status: failed.isEmpty ? 200 : 202)
    }
}

extension ExistItem {
    func require(_ fields: String...) throws(ExistItemError) {
        let missing = fields.filter { self[$0] == nil }
        guard missing.isEmpty else { throw .missing(fields: missing) }
    }

    func adding(_ more: ExistItem) -> ExistItem { merging(more) { $1 } }
}
