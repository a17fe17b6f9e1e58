/// Accessors for the values of scalar tokens.
extension TapeMemory {
    func bool(at index: Int) throws(TapeFailure) -> Bool {
        switch token(index).kind {
        case .true: return true
        case .false: return false
        default: throw TapeFailure(index, .mismatch(Bool.self))
        }
    }

    func text(at index: Int) throws(TapeFailure) -> String {
        let token = token(index)
        switch token.kind {
        case .string: return text(token).string
        case .escapedString: return TextEscapes.string(text(token))
        default: throw TapeFailure(index, .mismatch(String.self))
        }
    }

    func double(at index: Int) throws(TapeFailure) -> Double {
        try number(at: index) { _, text in JSONNumber.double(text) }
    }

    func integer<Number: FixedWidthInteger>(at index: Int) throws(TapeFailure) -> Number {
        try number(at: index) { kind, text in
            // `4174.0` is a whole number.
            kind == .integer ? JSONNumber.integer(text) : JSONNumber.double(text).flatMap { Number(exactly: $0) }
        }
    }

    @inline(__always)
    func number<Number>(
        at index: Int, _ parse: (TapeToken.Kind, TextBytes) -> Number?
    ) throws(TapeFailure) -> Number {
        let token = token(index)
        guard token.kind == .integer || token.kind == .decimal else {
            throw TapeFailure(index, .mismatch(Number.self))
        }
        guard let number = parse(token.kind, text(token)) else { throw TapeFailure(index, .unfit(Number.self)) }
        return number
    }
}
