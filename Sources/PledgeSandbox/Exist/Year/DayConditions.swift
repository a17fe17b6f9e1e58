import Foundation

/// The conditions of a day: its position in the week and the year, the weather, the calendar, the company.
struct DayConditions {
    let number: Int
    let isWeekend: Bool
    let onHoliday: Bool
    /// The season, from −1 in midwinter to 1 in midsummer.
    let season: Double
    let high: Double
    let cloud: Double
    let rain: Double
    let events: Int
    let withFriends: Bool
    let drinks: Int

    init(_ day: CalendarDay) {
        number = day.number
        isWeekend = day.weekday == 0 || day.weekday == 6
        onHoliday = Self.isHoliday(number)
        season = cos(2 * .pi * (Double(number) - 200) / 365.2425)

        high =
            11 + 10 * season + 4 * DayNoise.drift(.warmth, number, span: 6) + 1.5 * DayNoise.normal(.front, number)
        cloud = min(1, max(0, 0.55 - 0.15 * season + 0.25 * DayNoise.drift(.clouds, number, span: 3)))
        rain = cloud > 0.6 && DayNoise.uniform(.rain, number) < cloud - 0.3 ? (cloud - 0.5) * 0.08 : 0

        let meetings = isWeekend || onHoliday ? 0.3 : day.weekday % 2 == 0 ? 3.4 : 2.4
        events = max(0, Int((meetings + 1.4 * DayNoise.normal(.events, number)).rounded()))

        let company = [0.3, 0.1, 0.12, 0.12, 0.15, 0.4, 0.55][day.weekday]
        withFriends = DayNoise.uniform(.friends, number) < company
        let thirst = (withFriends ? 1.7 : -0.7) + DayNoise.normal(.drinks, number)
        drinks = max(0, Int(thirst.rounded()))
    }

    /// Whether the day is in a holiday: one week in every fourteen.
    private static func isHoliday(_ number: Int) -> Bool {
        let stretch = Int((Double(number) / 98).rounded(.down))
        let start = Int(DayNoise.uniform(.holiday, stretch) * 90)
        return (start..<start + 7).contains(number - stretch * 98)
    }
}

/// The night before a day, affected by the evening's drinks and a free morning.
struct NightBefore {
    /// The lateness of the evening, in standard deviations from the mean.
    let lateness: Double
    /// The bedtime, in minutes after midday.
    let bedtime: Int
    /// The wake time, in minutes after midnight.
    let wakeTime: Int
    let asleep: Int
    let deep: Int
    /// The quality of the night, in standard deviations from the mean.
    let rest: Double

    init(_ today: DayConditions, after yesterday: DayConditions) {
        let number = today.number
        let isFree = today.isWeekend || today.onHoliday
        lateness = 0.8 * DayNoise.normal(.bedtime, number) + (isFree ? 0.7 : -0.2) + 0.25 * Double(yesterday.drinks)
        bedtime = Int((655 + 38 * lateness).rounded())
        let sleepingIn = (isFree ? 65 : 0) + 8 * lateness + 14 * DayNoise.normal(.wakeTime, number)
        wakeTime = Int((410 + sleepingIn).rounded())
        let awake = 24 + 8 * Double(yesterday.drinks) + 5 * abs(DayNoise.normal(.deepSleep, number))
        asleep = max(180, 720 + wakeTime - bedtime - Int(awake))
        rest = min(2.5, max(-2.5, Double(asleep - 445) / 50))
        let depth = 0.19 - 0.015 * Double(yesterday.drinks) + 0.02 * DayNoise.normal(.deepSleep, number)
        deep = Int((Double(asleep) * depth).rounded())
    }
}
