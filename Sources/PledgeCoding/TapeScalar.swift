import Foundation

/// A type whose values are scalars in JSON, each of which takes a single token.
package protocol TapeScalar: Decodable {
    static func read(_ memory: TapeMemory, at index: Int) throws(TapeFailure) -> Self
}

extension Bool: TapeScalar {
    package static func read(_ memory: TapeMemory, at index: Int) throws(TapeFailure) -> Bool {
        let token = memory.token(index)
        guard token.kind == .bool else { throw TapeFailure(index, .mismatch(Bool.self)) }
        return token.isTrue
    }
}

extension String: TapeScalar {
    package static func read(_ memory: TapeMemory, at index: Int) throws(TapeFailure) -> String {
        let token = memory.token(index)
        guard token.kind == .text else { throw TapeFailure(index, .mismatch(String.self)) }
        return memory.string(token)
    }
}

extension Double: TapeScalar {
    package static func read(_ memory: TapeMemory, at index: Int) throws(TapeFailure) -> Double {
        try memory.number(at: index) { _, text in JSONNumber.double(text) }
    }
}

extension Float: TapeScalar {
    package static func read(_ memory: TapeMemory, at index: Int) throws(TapeFailure) -> Float {
        try memory.number(at: index) { _, text in
            JSONNumber.nearest(text, Float(text.string))
        }
    }
}

extension Decimal: TapeScalar {
    package static func read(_ memory: TapeMemory, at index: Int) throws(TapeFailure) -> Decimal {
        try memory.number(at: index) { _, text in Decimal(digits: text.string) }
    }

    init?(digits: String) { self.init(string: digits, locale: Locale(identifier: "en_US_POSIX")) }
}

extension TapeScalar where Self: FixedWidthInteger {
    package static func read(_ memory: TapeMemory, at index: Int) throws(TapeFailure) -> Self {
        try memory.number(at: index) { isDecimal, text in
            // A number with a fraction or an exponent may still be a whole number, such as `4174.0`.
            !isDecimal
                ? JSONNumber.integer(text)
                : JSONNumber.double(text).flatMap { JSONNumber.whole(text, near: $0) }
        }
    }
}

extension Int: TapeScalar {}
extension Int8: TapeScalar {}
extension Int16: TapeScalar {}
extension Int32: TapeScalar {}
extension Int64: TapeScalar {}
extension UInt: TapeScalar {}
extension UInt8: TapeScalar {}
extension UInt16: TapeScalar {}
extension UInt32: TapeScalar {}
extension UInt64: TapeScalar {}

extension TapeMemory {
    @inline(__always)
    func number<Number>(
        at index: Int, _ parse: (Bool, TextBytes) -> Number?
    ) throws(TapeFailure) -> Number {
        let token = token(index)
        guard token.kind == .number else { throw TapeFailure(index, .mismatch(Number.self)) }
        guard let number = parse(token.isDecimal, text(token)) else { throw TapeFailure(index, .unfit(Number.self)) }
        return number
    }
}
