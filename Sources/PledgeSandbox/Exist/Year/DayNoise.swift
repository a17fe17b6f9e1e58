/// Reproducible random numbers, each a function of a stream and a day.
enum DayNoise {
    /// The purpose of a random number. The position is part of the data: append new cases at the end.
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

    /// Returns a number in 0..<1.
    static func uniform(_ stream: Stream, _ number: Int) -> Double {
        Double(bits(stream, number) >> 11) / Double(1 << 53)
    }

    /// Returns a number with mean 0 and standard deviation 1, within ±3.5: a sum of four uniform ones is nearly normal.
    static func normal(_ stream: Stream, _ number: Int) -> Double {
        let bits = bits(stream, number)
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
        return (Double(sum) / 65_535 - 2) * 1.732
    }

    /// Returns a number around 0, drawn every `span` days and interpolated linearly in between.
    static func drift(_ stream: Stream, _ number: Int, span: Int) -> Double {
        let knot = Int((Double(number) / Double(span)).rounded(.down))
        let share = Double(number - knot * span) / Double(span)
        // Knots are far from any day, so that they do not share a draw with one.
        return normal(stream, knot - 10_000_000) * (1 - share) + normal(stream, knot - 9_999_999) * share
    }

    /// Returns SplitMix64 output, in which neighboring inputs are unrelated.
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
