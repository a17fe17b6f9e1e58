import Foundation

/// A value of any other decoder, such as that of a property list, of Foundation's JSON, or of a test.
struct CodableValue: ValueSource {
    private enum Origin {
        case decoder(any Decoder)
        case member(KeyedDecodingContainer<Name>, Name)
    }

    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: StaticString) { stringValue = name.description }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let origin: Origin

    init(_ decoder: any Decoder) { origin = .decoder(decoder) }
    fileprivate init(_ container: KeyedDecodingContainer<Name>, _ name: Name) { origin = .member(container, name) }

    private func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch origin {
        case .decoder(let decoder): try decoder.singleValueContainer().decode(type)
        case .member(let container, let name): try container.decode(type, forKey: name)
        }
    }

    private func list() throws -> any UnkeyedDecodingContainer {
        switch origin {
        case .decoder(let decoder): try decoder.unkeyedContainer()
        case .member(let container, let name): try container.nestedUnkeyedContainer(forKey: name)
        }
    }

    private var codingPath: [any CodingKey] {
        switch origin {
        case .decoder(let decoder): decoder.codingPath
        case .member(let container, let name): container.codingPath + [name]
        }
    }

    /// Determined by trying, because decoders do not report the kind.
    var kind: ValueKind {
        if isNull { return .null }
        if (try? text()) != nil { return .text }
        if (try? bool()) != nil { return .bool }
        do {
            _ = try double()
            return .number
        } catch DecodingError.typeMismatch {
            return (try? list()) == nil ? .object : .list
        } catch {
            // A number that is too large or too small.
            return .number
        }
    }

    var isNull: Bool {
        switch origin {
        case .decoder(let decoder): (try? decoder.singleValueContainer())?.decodeNil() ?? false
        case .member(let container, let name): (try? container.decodeNil(forKey: name)) ?? false
        }
    }

    var count: Int { (try? list())?.count ?? 0 }
    func text() throws -> String { try read(String.self) }
    func repeatedText() throws -> String { try text() }
    // Lists of other decoders, such as a test's, report only what they lost.
    func remark(_ words: StaticString) {}
    func takeRemark() -> StaticString? { nil }
    func double() throws -> Double { try read(Double.self) }
    func bool() throws -> Bool { try read(Bool.self) }

    func int() throws -> Int {
        let number = try read(Int.self)
        // Foundation decodes `1e-400` as the integer 0; only decoding a `Double` throws.
        if number == 0 { _ = try double() }
        return number
    }

    func number() throws -> WholeOrDecimal {
        let number = try double()
        return (try? read(Int.self)).map { .whole($0) } ?? .decimal(number)
    }

    func digits() throws -> String {
        switch try number() {
        // Foundation decodes a larger one with a fraction as an integer.
        case .whole(let number) where number.magnitude < 1 << 53: "\(number)"
        case .whole(let number): (try? read(Decimal.self)).map { "\($0)" } ?? "\(number)"
        case .decimal(let number): (try? read(Decimal.self)).map { "\($0)" } ?? "\(number)"
        }
    }

    func parsed<Result>(_ sentence: StaticString, _ parse: (TextBytes) -> Result?) throws -> Result {
        guard let result = try text().withBytes(parse) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: sentence.description))
        }
        return result
    }

    func fields() throws -> CodableFields {
        switch origin {
        case .decoder(let decoder): CodableFields(container: try decoder.container(keyedBy: Name.self))
        case .member(let container, let name):
            CodableFields(container: try container.nestedContainer(keyedBy: Name.self, forKey: name))
        }
    }

    func forEach(_ body: (Int, CodableValue) throws -> Void) throws {
        var list = try list()
        while !list.isAtEnd { try body(list.currentIndex, CodableValue(try list.superDecoder())) }
    }

    func items<Item: Decodable & Sendable>(of type: Item.Type) throws -> ItemList<Item> {
        var result = ItemList<Item>(capacity: count)
        try forEach { index, item in
            do {
                result.items.append(try item.read(type))
            } catch {
                result.unreadable.add(index) { item.reason(error) }
            }
        }
        return result
    }

    /// Does nothing: another decoder has no place for notes.
    func note(_ failure: any Error) {}

    func reason(_ failure: any Error) -> String { UnreadableItem.reason(failure, below: codingPath.count) }
}

/// The members of an object of any other decoder.
struct CodableFields: FieldSource {
    fileprivate let container: KeyedDecodingContainer<CodableValue.Name>

    func value(_ name: StaticString) -> CodableValue? {
        let name = CodableValue.Name(name)
        return container.contains(name) ? CodableValue(container, name) : nil
    }

    func present(_ name: StaticString) -> CodableValue? { value(name).flatMap { $0.isNull ? nil : $0 } }

    func missing(_ name: StaticString) -> any Error {
        DecodingError.keyNotFound(
            CodableValue.Name(name), .init(codingPath: container.codingPath, debugDescription: "\(name) is missing"))
    }

    func forEach(_ body: (String, CodableValue) throws -> Void) throws {
        for name in container.allKeys { try body(name.stringValue, CodableValue(container, name)) }
    }
}
