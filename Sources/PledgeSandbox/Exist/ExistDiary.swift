import Foundation

/// The generated data of the past year. It is the user's data before a client writes values. Each day is generated when
/// it is first needed.
final class ExistDiary: Sendable {
    static let length = 365

    private let memory = Protected<[Int: DiaryDay]>([:])

    /// Returns the generated value of an attribute on a day. It is the same on every run, no matter what the current
    /// day is.
    func value(_ name: String, on day: CalendarDay) -> ServerJSON? {
        memory.withLock { $0[day.number].filled { DiaryDay(day) } }.values[name]
    }

    /// Returns what is known at midday about a day's value. Values of the morning are complete, counts have half of
    /// their value, and ratings of the evening are missing.
    static func atMidday(_ value: ServerJSON, of attribute: ExistAttribute) -> ServerJSON? {
        if [.sleep, .weather, .events, .workouts].contains(attribute.group) || attribute.name.hasPrefix("heartrate")
            || ["weight", "body_fat"].contains(attribute.name)
        {
            return value
        }
        if [.mood, .custom].contains(attribute.group) { return nil }
        switch value {
        case .integer(let number): return .integer(number / 2)
        case .number(let number): return .number((number * 50).rounded() / 100)
        default: return value
        }
    }
}

/// The generated measurements of a day, by attribute. A measurement is missing if it was not taken on that day.
///
/// The measurements depend on each other, and the sandbox's correlations find these relations. A late evening leads to
/// a short night, a short night leads to a poor mood, and many meetings leave little time for work.
struct DiaryDay: Sendable {
    private(set) var values: [String: ServerJSON] = [:]

    private let number: Int
    private let today: DayConditions
    private let yesterday: DayConditions
    private let night: NightBefore

    init(_ day: CalendarDay) {
        number = day.number
        today = DayConditions(day)
        yesterday = DayConditions(day - 1)
        night = NightBefore(today, after: yesterday)

        recordWeather()
        recordCalendar()
        recordNight()
        let workout = recordWorkout()
        let steps = recordSteps(workout: workout)
        recordScales(workout: workout)
        recordWork()
        recordLeisure()
        // On some days, the user doesn't enter the evening ratings.
        if DayNoise.uniform(.rated, number) > 0.06 { recordEvening(steps: steps, workout: workout) }
    }

    private mutating func set(_ name: String, _ amount: Double) {
        values[name] = .integer(Int(max(0, amount).rounded()))
    }

    private mutating func set(_ name: String, _ amount: Double, decimals: Double) {
        let scale = pow(10, decimals)
        values[name] = .number((amount * scale).rounded() / scale)
    }

    private mutating func rate(_ name: String, _ score: Double) { set(name, min(9, max(1, score))) }

    private func noise(_ stream: DayNoise.Stream) -> Double {
        DayNoise.normal(stream, number)
    }

    private func happens(_ stream: DayNoise.Stream, _ probability: Double) -> Bool {
        DayNoise.uniform(stream, number) < probability
    }
}

extension DiaryDay {
    private mutating func recordWeather() {
        set("weather_temp_max", today.high, decimals: 1)
        set("weather_temp_min", today.high - 9 + 4 * today.cloud, decimals: 1)
        set("weather_precipitation", today.rain, decimals: 3)
        set("weather_cloud_cover", today.cloud, decimals: 2)
        let sky = today.cloud < 0.35 ? "Clear" : today.cloud < 0.65 ? "Partly cloudy" : "Overcast"
        values["weather_summary"] = .string(
            today.rain == 0
                ? "\(sky) throughout the day." : "Rain in the afternoon, \(sky.lowercased()) in the evening.")
    }

    private mutating func recordCalendar() {
        set("events", Double(today.events))
        let minutes = Double(today.events) * (40 + 8 * noise(.eventLength)) / 5
        set("events_duration", minutes.rounded() * 5)
        set("checkins", today.withFriends ? 1 + noise(.checkins) : 0)
    }

    private mutating func recordNight() {
        // On some nights, the user doesn't wear the ring.
        if happens(.ringLeftOff, 0.03) { return }
        set("sleep", Double(night.asleep))
        set("sleep_start", Double(night.bedtime))
        set("sleep_end", Double(night.wakeTime))
        set("sleep_deep", Double(night.deep))
        let drinks = Double(yesterday.drinks)
        let fitness = DayNoise.drift(.fitness, number, span: 40)
        set("heartrate_resting", 58 - 2 * fitness + 1.6 * drinks + 1.3 * noise(.restingPulse))
        set("heartrate_variability", 54 + 3 * fitness - 4 * drinks + 2 * night.rest + 4 * noise(.variability))
    }

    private mutating func recordWorkout() -> Double {
        let eagerness = (today.isWeekend ? 0.45 : 0.35) + 0.1 * night.rest
        let minutes = happens(.workout, eagerness) ? 25 + 40 * DayNoise.uniform(.workoutLength, number) : 0
        set("workouts", minutes > 0 ? 1 : 0)
        set("workouts_min", minutes)
        return minutes
    }

    private mutating func recordSteps(workout: Double) -> Double {
        let weekday = CalendarDay(number: number).weekday
        let habit = 7_400 * [0.8, 1, 1.02, 0.98, 1.03, 1.05, 1.25][weekday]
        let outside = 800 * today.season - (today.rain > 0 ? 1_400 : 0) + (today.onHoliday ? 2_500 : 0)
        let vigour = 38 * workout + 450 * night.rest + (isCamping ? 4_000 : 0)
        let steps = max(900, habit + outside + vigour + 1_500 * noise(.steps))
        // On some days, the step counter stays at home. The steps of that day still influence the mood, but the
        // attribute has no value.
        if happens(.counterLeftOff, 0.02) { return steps }
        set("steps", steps)
        set("steps_distance", steps * 0.00072, decimals: 2)
        set("floors", steps / 900 + 2 * noise(.floors))
        set("steps_active_min", steps / 130 + 0.7 * workout)
        set("active_energy", steps * 0.14 + workout * 22, decimals: 1)
        return steps
    }

    private mutating func recordScales(workout: Double) {
        guard happens(.weighed, 0.65) else { return }
        let weight = 71.5 - 0.8 * today.season + 0.7 * DayNoise.drift(.weight, number, span: 30) + 0.25 * noise(.weight)
        set("weight", weight, decimals: 1)
        set("body_fat", 0.205 + 0.006 * (weight - 71.5) + 0.002 * noise(.fat), decimals: 3)
    }

    private mutating func recordWork() {
        // On free days, the computer stays off, so there is nothing to measure.
        if today.isWeekend || today.onHoliday { return }
        let meetings = 20 * Double(today.events) + 14 * Double(yesterday.events)
        let minutes = max(20, 340 - meetings + 18 * night.rest + 32 * noise(.productive))
        set("productive_min", minutes)
        set("distracting_min", 58 - 9 * night.rest + 16 * noise(.distracting))
        set("commits", minutes / 40 - 1 + 1.6 * noise(.commits))
        set("tasks_completed", 1.5 + minutes / 70 + 1.2 * noise(.tasks))
    }

    private mutating func recordLeisure() {
        let isFree = today.isWeekend || today.onHoliday
        let television = (isFree ? 85 : 50) - (today.withFriends ? 40 : 0) + 24 * noise(.television)
        set("tv_min", television)
        set("tracks", (isFree ? 14 : 24) + 8 * noise(.tracks))
        set("pages_read", 26 - 0.18 * max(0, television) + 9 * noise(.pages))
        set("meditation_min", isMeditating ? happens(.sitting, 0.5) ? 10 : 15 : 0)
    }

    private mutating func recordEvening(steps: Double, workout: Double) {
        let playsGuitar = happens(.guitar, today.isWeekend ? 0.5 : 0.3)
        let hasHeadache = happens(.headache, 0.05 + 0.07 * Double(yesterday.drinks))
        let tags = [
            "guitar": playsGuitar, "late_to_sleep": night.bedtime > 700, "friends": today.withFriends,
            "headache": hasHeadache, "camping": isCamping,
        ]
        for (name, isTagged) in tags { values[name] = isTagged ? 1 : 0 }

        set("alcoholic_drinks", Double(today.drinks))
        set("coffees", 2 - 0.5 * night.rest + 0.6 * noise(.coffees))
        set("water", ((1_300 + 18 * today.high + 5 * workout + 220 * noise(.water)) / 50).rounded() * 50)

        let walked = (steps - 8_000) / 2_500
        let evening = (playsGuitar ? 1.1 : 0) + (today.withFriends ? 0.7 : 0) - (hasHeadache ? 1.4 : 0)
        let mood =
            5.3 + 0.7 * night.rest - 0.5 * night.lateness + 0.4 * walked + 0.4 * today.season + evening
            + 0.5 * DayNoise.drift(.mood, number, span: 9) + 0.8 * noise(.mood)
        rate("mood", mood)
        rate("energy_level", 5.2 + 0.6 * night.rest + 0.45 * walked - 0.3 * night.lateness + 0.7 * noise(.energy))
        rate("stress_level", 3.6 + 0.45 * Double(today.events) - (isMeditating ? 0.8 : 0) + 0.7 * noise(.stress))
        if happens(.note, 0.4) { values["mood_note"] = .string(moodNote(mood: mood, playsGuitar: playsGuitar)) }
    }

    private var isCamping: Bool {
        (today.isWeekend || today.onHoliday) && today.season > 0.2 && happens(.camping, 0.15)
    }

    private var isMeditating: Bool { happens(.meditation, today.isWeekend ? 0.35 : 0.6) }

    private func moodNote(mood: Double, playsGuitar: Bool) -> String {
        if isCamping { return "Slept in the tent, woke with the birds 🏕️" }
        if playsGuitar { return "Played until the neighbours came over to listen 🎸" }
        if today.withFriends { return "Supper with friends — too many \"last\" stories." }
        if mood < 4.5 { return "Long day, short night.\nEarly to bed." }
        return today.rain > 0 ? "Rain all afternoon, soup & a book." : "Quiet day, nice walk after lunch."
    }
}

/// The conditions of a day, from which its measurements are generated. They are the position of the day in the week and
/// the year, the weather, the events, and the company.
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

    /// Returns whether a day is in a holiday. One week in every fourteen weeks is a holiday.
    private static func isHoliday(_ number: Int) -> Bool {
        let stretch = Int((Double(number) / 98).rounded(.down))
        let start = Int(DayNoise.uniform(.holiday, stretch) * 90)
        return (start..<start + 7).contains(number - stretch * 98)
    }
}

/// The night before a day. It depends on the drinks of the evening, and on whether the morning is free.
struct NightBefore {
    /// How late the evening became, in standard deviations from the mean.
    let lateness: Double
    /// The bedtime, in minutes after midday.
    let bedtime: Int
    /// The wake time, in minutes after midnight.
    let wakeTime: Int
    let asleep: Int
    let deep: Int
    /// How good the night was, in standard deviations from the mean.
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

/// Random numbers that are the same on every run. Each number depends only on its purpose (the stream) and on the day.
enum DayNoise {
    /// The purpose of a random number. The position of a case determines the numbers, so add new cases only at the end.
    enum Stream: UInt64 {
        case warmth, front, clouds, rain
        case events, eventLength, friends, drinks, coffees, water
        case bedtime, wakeTime, deepSleep, restingPulse, variability
        case steps, fitness, floors, workout, workoutLength, meditation, weighed, weight, fat
        case productive, distracting, commits, tasks
        case guitar, headache, camping, mood, energy, stress, note, rated
        case tracks, pages, television, checkins
        case ringLeftOff, holiday, counterLeftOff, secret, insight, sitting
    }

    /// Returns a random number in `0..<1`. All numbers are equally likely.
    static func uniform(_ stream: Stream, _ number: Int) -> Double {
        Double(bits(stream, number) >> 11) / Double(1 << 53)
    }

    /// Returns a random number that is nearly normally distributed, with a mean of 0 and a standard deviation of 1. It
    /// is between −3.5 and 3.5, because it is the sum of four uniform random numbers.
    static func normal(_ stream: Stream, _ number: Int) -> Double {
        let bits = bits(stream, number)
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
        return (Double(sum) / 65_535 - 2) * 1.732
    }

    /// Returns a random number around 0 that changes slowly. A new number is drawn every `span` days, and the numbers
    /// in between are interpolated linearly.
    static func drift(_ stream: Stream, _ number: Int, span: Int) -> Double {
        let knot = Int((Double(number) / Double(span)).rounded(.down))
        let share = Double(number - knot * span) / Double(span)
        // This interpolates between two knots. The numbers of the knots are far from the numbers of real days, so that
        // no knot has the same random number as a day.
        return normal(stream, knot - 10_000_000) * (1 - share) + normal(stream, knot - 9_999_999) * share
    }

    /// Returns random bits from the SplitMix64 algorithm. The bits for neighboring days are unrelated.
    static func bits(_ stream: Stream, _ number: Int) -> UInt64 {
        var state = (stream.rawValue &+ 1) &* 0xD134_2543_DE82_EF95 &+ UInt64(bitPattern: Int64(number))
        for _ in 0..<2 {
            state = state &+ 0x9E37_79B9_7F4A_7C15
            state = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            state = (state ^ (state >> 27)) &* 0x94D0_49BB_1331_11EB
            state ^= state >> 31
        }
        return state
    }
}
