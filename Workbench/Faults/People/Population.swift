/// A seeded population. Most users are due now; the others must not get a push, for various reasons.
///
/// The same seed at the same instant gives the same people. No slot, limit or quiet hours of theirs begin or end in the
/// next half hour. So a run of minutes has one right answer for nearly everyone. Only the default quiet hours may begin
/// or end; those users are evaluated at both ends of the run.
public struct Population: Sendable {
    /// All users.
    public let people: [FaultRecipient]
    /// Devices by token, for the simulated Apple.
    public let devices: [String: Addressee]

    /// A population of these people.
    public init(people: [FaultRecipient]) {
        self.people = people
        devices = Dictionary(people.flatMap(\.devices).map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Makes `count` random people, at least one.
    ///
    /// - Parameter now: seconds since 1970.
    public init(_ count: Int, seed: UInt64, now: Int64) {
        var draw = PeopleDraw(seed: seed, now: now)
        self.init(people: (1...max(1, count)).map { draw.person($0) })
    }

    /// How many devices nudged pushes to.
    public var servedDevices: Int { people.reduce(0) { $0 + $1.served.count } }
}
