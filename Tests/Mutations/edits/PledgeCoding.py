# Each mistake has a name, the code that it replaces, the wrong code, and the tests that should notice the mistake. The code to
# replace must occur exactly once in the module.
edits = [
    ("a hundred and one levels are read", "guard depth < Self.deepest else", "guard depth <= Self.deepest else",
     "JSONLimitTests"),
    ("half of a pair in a name is not noticed", "            } else if character(in: text, at: &offset) == nil {",
     "            } else if character(in: text, at: &offset) == nil, offset < 0 {"),
    ("an item that is left out keeps its remark", "                list.takeRemark()\n", "", "UnreadableListTests"),
    ("a response may have any number of notes", "if notes.count < UnreadableItem.mostReasons {", "do {", "LenientFieldTests"),
    ("a number may begin with zeros", """        if memory.byte(at) == UInt8(ascii: "0") {
            at &+= 1
        } else {
            guard digits() else { return false }
        }
""", "        guard digits() else { return false }\n", "JSONLimitTests"),
    ("a number may end with its point", """            isDecimal = true
            at &+= 1
            guard digits() else { return false }
        }
        if memory.byte(at) | 0x20""", """            isDecimal = true
            at &+= 1
            _ = digits()
        }
        if memory.byte(at) | 0x20""", "JSONLimitTests"),
    ("a control character may be in a text", "(eight &- (ones &* 0x20))", "(eight &- (ones &* 0x1F))",
     "JSONLimitTests"),
    ("escapes are read as they stand", "                hasEscapes = true\n", "", "HalfPairTests"),
    ("half of a pair may be written in UTF-8", "        case 0xED: (length, second) = (3, 0x80...0x9F)\n", "",
     "JSONLimitTests"),
    ("a character may be beyond the last one", "(4, 0x80...0x8F)", "(4, 0x80...0xBF)", "JSONLimitTests"),
    ("a character may be longer than it need be", "case 0xC2...0xDF:", "case 0xC0...0xDF:", "JSONLimitTests"),
    ("something may follow the value", "guard at == memory.size else", "guard at <= memory.size else",
     "JSONLimitTests"),
    ("a pair at the end of a text is two halves", "0xD800..<0xDC00 ~= code, offset < text.count",
     "0xD800..<0xDC00 ~= code, offset + 6 < text.count", "HalfPairTests"),
    ("two first halves are a pair", "0xDC00..<0xE000 ~= second", "0xD800..<0xE000 ~= second", "HalfPairTests"),
    ("an escape may have a G", "0x41...0x46, 0x61...0x66", "0x41...0x47, 0x61...0x66", "JSONLimitTests"),
    ("a form feed is read as a vertical tab", 'case UInt8(ascii: "f"): 0x0C', 'case UInt8(ascii: "f"): 0x0B',
     "FoundationFuzzTests"),
    ("the second of two members counts, after one was skipped", "        hasPassed = true\n",
     "", "DuplicateNameTests"),
    ("a name with escapes is not found", ": token.hasEscapes && string(token).utf8.elementsEqual(name)",
     ": false", "DuplicateNameTests"),
    ("texts of the same ends are one",
     "slots[slot].length == length, memory.isSame(slots[slot].start, as: memory.text(start, length)),\n",
     "slots[slot].length == length,\n", "SharedValuesTests"),
    ("a number's decimals are forgotten at its exponent", "exponent += power", "exponent = power",
     "FoundationFuzzTests"),
    ("a mantissa may have a digit too many", "guard digits <= 19 ||", "guard digits <= 20 ||", "FoundationFuzzTests"),
    ("a mantissa of 54 bits is rounded twice", "if mantissa < 1 << 53,", "if mantissa < 1 << 54,",
     "FoundationFuzzTests"),
    ("the lower bits of a product are lost", "product.high | (product.low == 0 ? 0 : 1)", "product.high",
     "FoundationFuzzTests"),
    ("the rest of a division is lost", "quotient | (rest == 0 ? 0 : 1)", "quotient", "FoundationFuzzTests"),
    ("a number of 19 digits overflows", "guard text.count <= 18 else", "guard text.count <= 19 else", "JSONLimitTests"),
    ("a number that is too small is read as zero", "return number != 0 || isZero ? number : nil", "return number",
     "JSONLimitTests"),
    ("a number that is too large is read as infinite", "guard let number, number.isFinite else { return nil }\n        let isZero",
     "guard let number else { return nil }\n        let isZero", "JSONLimitTests"),
    ("a large whole number with a fraction becomes its neighbor", "if number.magnitude < 0x1p53 {", "if true {", "JSONLimitTests"),
    ("a member is decoded once for each time that its name occurs", "find(key)?.index == value else", "value >= 0 else",
     "LinearReadingTests"),
    ("29 February 1900 is a day", "year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)", "year % 4 == 0",
     "DayNumberTests"),
    ("31 April is a day", "30 + ((month ^ month >> 3) & 1)", "31", "DayNumberTests"),
    ("a field that cannot be read is missing without a word", "            recordUnreadable(error)\n", "", "LenientFieldTests"),
]
