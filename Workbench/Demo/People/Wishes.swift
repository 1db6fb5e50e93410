import Seeded

extension Wishes {
    static func draw(_ generator: inout SplitMix64) -> Wishes {
        var wishes = Wishes()
        wishes.frequency = generator.pick(weighted: frequencies) ?? "daily"
        if wishes.frequency == "weekly", generator.chance(500) { wishes.weekday = generator.number(1...7) }
        if generator.chance(50) { wishes.maxPerDay = generator.number(1...3) }
        switch generator.number(0...99) {
        case 0..<60: break
        case 60..<91: wishes.night = Night(start: half(41, 47, &generator), end: half(11, 19, &generator))
        case 91..<93:
            // Works at night and sleeps by day.
            wishes.night = Night(start: half(15, 18, &generator), end: half(31, 34, &generator))
            wishes.checkInTime = quarter(generator.chance(500) ? 20 : 1, 4, &generator)
            return wishes
        case 93..<96: wishes.night = Night(start: half(26, 28, &generator), end: half(30, 33, &generator))
        case 96..<98: wishes.night = Night(start: 0, end: 0)
        // A short night, from after midnight.
        default: wishes.night = Night(start: half(1, 4, &generator), end: half(11, 15, &generator))
        }
        if generator.chance(550) { wishes.checkInTime = time(&generator) }
        return wishes
    }

    func changed(_ generator: inout SplitMix64) -> Wishes {
        var wishes = self
        switch generator.number(0...4) {
        case 0: wishes.isEnabled.toggle()
        case 1: wishes.frequency = frequency == "daily" ? "weekly" : "daily"
        case 2: wishes.checkInTime = Self.time(&generator)
        case 3: wishes.night = Night(start: Self.half(38, 44, &generator), end: Self.half(17, 21, &generator))
        // Back to the default.
        default: wishes.night = nil
        }
        return wishes
    }

    private static let frequencies = [("daily", 60), ("few_times_a_week", 25), ("weekly", 15)]

    /// Most in the morning and in the evening. A few choose the night by mistake, and must not be woken.
    private static func time(_ generator: inout SplitMix64) -> Int {
        switch generator.number(0...99) {
        case 0..<45: quarter(7, 4, &generator)
        case 45..<60: quarter(11, 5, &generator)
        case 60..<92: quarter(17, 4, &generator)
        default: quarter(23, 7, &generator)
        }
    }

    /// A quarter hour within `hours` hours from `hour` on, as a minute of the day.
    private static func quarter(_ hour: Int, _ hours: Int, _ generator: inout SplitMix64) -> Int {
        (hour * 60 + 15 * generator.number(0...hours * 4 - 1)) % 1440
    }

    /// A half hour from `first` to `last`, counted from midnight, as a minute of the day.
    private static func half(_ first: Int, _ last: Int, _ generator: inout SplitMix64) -> Int {
        generator.number(first...last) * 30
    }
}
