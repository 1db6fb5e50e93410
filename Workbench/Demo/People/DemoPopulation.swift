import Seeded

import struct FoundationEssentials.UUID

/// Everyone in the demo: a pure function of seed, count, zones and the day's start.
struct DemoPopulation: Sendable, Equatable {
    let people: [DemoPerson]

    init(people: [DemoPerson]) {
        self.people = people
    }

    /// - Parameters:
    ///   - zones: every zone name of the database, sorted.
    ///   - start: the day's start, Unix seconds. Registrations are before it.
    init(count: Int, seed: UInt64, zones: [String], start: Int64) {
        var generator = SplitMix64(seed: seed)
        let places = Places(names: zones)
        people = (0..<count).map { _ in DemoPerson.draw(places, start: start, &generator) }
    }

    /// The devices by token.
    var devicesByToken: [String: DemoDevice] {
        Dictionary(people.flatMap(\.devices).map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
