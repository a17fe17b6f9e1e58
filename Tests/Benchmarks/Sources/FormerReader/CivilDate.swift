enum CivilDate {
    private static let daysPerEra = 146_097
    private static let daysToEpoch = 719_468
    static func number(year: Int, month: Int, day: Int) -> Int? {
        guard 1...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let number = era * daysPerEra + dayOfEra - daysToEpoch
        return parts(number).month == month ? number : nil
    }
    static func parts(_ number: Int) -> (year: Int, month: Int, day: Int) {
        let days = number + daysToEpoch
        let era = (days >= 0 ? days : days - daysPerEra + 1) / daysPerEra
        let dayOfEra = days - era * daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
    static func number(_ text: Substring.UTF8View) -> Int? {
        guard text.count == 10 else { return nil }
        var (year, month, day) = (0, 0, 0)
        for (index, byte) in text.enumerated() {
            switch (index, byte) {
            case (4, UInt8(ascii: "-")), (7, UInt8(ascii: "-")): continue
            case (4, _), (7, _): return nil
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")):
                let digit = Int(byte - UInt8(ascii: "0"))
                if index < 4 {
                    year = year * 10 + digit
                } else if index < 7 {
                    month = month * 10 + digit
                } else {
                    day = day * 10 + digit
                }
            default: return nil
            }
        }
        return number(year: year, month: month, day: day)
    }
    static func text(_ number: Int) -> String {
        let (year, month, day) = parts(number)
        guard 0...9999 ~= year else { return "\(year)-\(month)-\(day)" }
        // Digit by digit, because a batch writes millions.
        return String(unsafeUninitializedCapacity: 10) { text in
            func write(_ value: Int, _ width: Int, at place: Int) {
                var rest = value
                for offset in (0..<width).reversed() {
                    text[place + offset] = UInt8(0x30 + rest % 10)
                    rest /= 10
                }
            }
            write(year, 4, at: 0)
            text[4] = UInt8(ascii: "-")
            write(month, 2, at: 5)
            text[7] = UInt8(ascii: "-")
            write(day, 2, at: 8)
            return 10
        }
    }
}
