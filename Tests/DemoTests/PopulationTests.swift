import Seeded
import Testing
import TimeZones

@testable import Demo

@Suite struct PopulationTests {
    private static let zones = [
        "Africa/Cairo", "America/New_York", "Asia/Kolkata", "Europe/Berlin", "Pacific/Chatham", "UTC",
    ]
    private static let start: Int64 = 1_795_230_000

    private func population(_ count: Int, seed: UInt64) -> DemoPopulation {
        DemoPopulation(count: count, seed: seed, zones: Self.zones, start: Self.start)
    }

    @Test func population_whenSeedIsTheSame() {
        #expect(population(500, seed: 7) == population(500, seed: 7))
        #expect(population(500, seed: 7) != population(500, seed: 8))
        // More people are the same people and some more.
        #expect(population(400, seed: 7).people == Array(population(500, seed: 7).people.prefix(400)))
    }

    /// The draws themselves, so that a change of the generator is seen: the first outputs of SplitMix64 for seed 0, from its authors' own C code.
    @Test func generator_whenSeedIsZero() {
        var generator = SplitMix64(seed: 0)
        #expect(generator.next() == 0xE220_A839_7B1D_CDAF)
        #expect(generator.next() == 0x6E78_9E6A_A1B9_65F4)
    }

    @Test func population_whenLarge_hasEveryKind() {
        let people = population(5_000, seed: 1).people
        let devices = people.flatMap(\.devices)
        #expect(Set(people.map(\.userID)).count == 5_000)
        #expect(Set(devices.map(\.token)).count == devices.count)
        #expect(Set(people.compactMap(\.zone)) == Set(Self.zones))
        for isThere in [
            people.contains { $0.preferences == nil }, people.contains { $0.zone == nil },
            people.contains { !$0.firstSessionComplete }, people.contains { $0.devices.isEmpty },
            people.contains { $0.devices.count == 3 }, people.contains { $0.change != nil },
            people.contains { $0.night == .usual }, people.contains { $0.night.start < $0.night.end },
            people.contains { $0.night.start == $0.night.end },
            ["daily", "few_times_a_week", "weekly"].allSatisfy { word in
                people.contains { $0.preferences?.contains(word) == true }
            },
            devices.contains(where: \.isStale),
            devices.contains { if case .unregistered = $0.answer { !$0.isStale } else { false } },
            devices.contains { $0.answer == .badToken }, devices.contains { $0.answer == .busyOnce },
            devices.contains { $0.answer == .troubledOnce }, devices.contains { $0.token.hasPrefix("{") },
            devices.contains { $0.platform == "android" },
        ] { #expect(isThere) }
        // The real clock is at most an hour before the day: every registration, and what Apple says of one, lies before both.
        for device in devices {
            #expect(device.registeredAt <= Self.start - 2 * 86_400)
            if case .unregistered(let since) = device.answer { #expect(since < Self.start - 3600) }
        }
    }

    @Test func places_whenDatabaseIsEmpty() {
        var generator = SplitMix64(seed: 1)
        #expect(Places(names: []).draw(&generator) == nil)
        #expect(Places(names: ["Etc/Nowhere"]).draw(&generator) == "Etc/Nowhere")
    }

    @Test func wishes_whenAllAreThere() {
        let wishes = Wishes(
            isEnabled: true,
            frequency: "weekly",
            checkInTime: 545,
            night: Night(start: 1320, end: 480),
            timezone: "Asia/Kolkata",
            weekday: 3,
            maxPerDay: 2
        )
        #expect(
            wishes.json
                == #"{"check_ins_enabled":true,"frequency":"weekly","check_in_time":"09:05","quiet_hours_start":"22:00","quiet_hours_end":"08:00","#
                + #""timezone":"Asia/Kolkata","weekday":3,"max_per_day":2}"#
        )
    }

    @Test func night_whenItSpansMidnightOrNot() {
        #expect(Night.usual.holds(minute: 22 * 60) && Night.usual.holds(minute: 0) && Night.usual.holds(minute: 479))
        #expect(!Night.usual.holds(minute: 480) && !Night.usual.holds(minute: 1319))
        let siesta = Night(start: 780, end: 900)
        #expect(siesta.holds(minute: 780) && !siesta.holds(minute: 900) && !siesta.holds(minute: 0))
        #expect((0..<1440).allSatisfy { !Night(start: 600, end: 600).holds(minute: $0) })
    }
}
