/// The items of a write, each of which succeeds or fails independently.
struct ExistBatch {
    /// One item of the list.
    typealias Item = [String: SandboxJSON]

    private static let largest = 35

    private let items: [SandboxJSON]

    /// Creates a batch; throws a 400 for a body that is not a list of at most 35 items.
    init(_ request: SandboxRequest) throws {
        guard let items = request.json?.array else { throw Self.fault("Expected a list of objects") }
        guard items.count <= Self.largest else {
            throw Self.fault("Expected at most \(Self.largest) objects, got \(items.count)")
        }
        self.items = items
    }

    /// Processes the items in order, each seeing the changes of those before it, and responds with 200 or 202.
    func respond(
        changing records: Protected<ExistRecords>,
        each change: (inout ExistRecords, Item) throws(ExistItemError) -> SandboxJSON
    ) -> SandboxResponse {
        var success: [SandboxJSON] = []
        var failed: [SandboxJSON] = []
        records.withLock { records in
            for (index, element) in items.enumerated() {
                let item = element.object ?? [:]
                do throws(ExistItemError) {
                    guard element.object != nil else { throw .validation("Item is not an object") }
                    success.append(try change(&records, item))
                } catch {
                    failed.append(error.item(for: item, at: index))
                }
            }
        }
        return .json(
            ["success": .array(success), "failed": .array(failed)], status: failed.isEmpty ? 200 : 202)
    }

    private static func fault(_ message: String) -> SandboxResponse {
        .json(["error": .string(message), "error_code": "invalid"], status: 400)
    }
}

extension ExistBatch.Item {
    /// Throws when one of the fields is missing.
    func require(_ fields: String...) throws(ExistItemError) {
        let missing = fields.filter { self[$0] == nil }
        guard missing.isEmpty else { throw .missing(fields: missing) }
    }

    /// Returns the item with fields added or replaced.
    func adding(_ more: ExistBatch.Item) -> ExistBatch.Item {
        merging(more) { $1 }
    }
}
