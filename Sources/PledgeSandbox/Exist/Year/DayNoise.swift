/// Chance that is the same on every run: each number is a function of a stream and a day.
enum DayNoise {
    /// What a chance is for. The position is part of the data: new ones go to the end.
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

    /// A number from 0 up to 1.
    static func uniform(_ stream: Stream, _ number: Int) -> Double {
        Double(bits(stream, number) >> 11) / Double(1 << 53)
    }

    /// A number around 0 with a spread of 1, never beyond 3.5: the sum of four even ones is close to a normal one.
    static func normal(_ stream: Stream, _ number: Int) -> Double {
        let bits = bits(stream, number)
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
        return (Double(sum) / 65_535 - 2) * 1.732
    }

    /// A number around 0 that wanders: it is drawn every `span` days and goes straight in between.
    static func drift(_ stream: Stream, _ number: Int, span: Int) -> Double {
        let knot = Int((Double(number) / Double(span)).rounded(.down))
        let share = Double(number - knot * span) / Double(span)
        // Knots lie far from any day, so that they share no draw with one.
        return normal(stream, knot - 10_000_000) * (1 - share) + normal(stream, knot - 9_999_999) * share
    }

    /// SplitMix64, which turns neighbouring inputs into unrelated outputs.
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
