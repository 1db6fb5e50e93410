/// A seeded population: most are due now, the others must not be sent to, each for a reason of their own.
///
/// The same seed at the same instant gives the same people. Nobody's slot, cap or quiet hours begin or end within the next half hour, so that a run
/// of minutes has one right answer for nearly everyone; who stands at a border all the same (the default quiet hours) is asked at both ends.
public struct Population: Sendable {
    /// Everyone.
    public let people: [Recipient]
    /// By token: what the simulated Apple looks up.
    public let devices: [String: Addressee]

    /// These people.
    public init(people: [Recipient]) {
        self.people = people
        devices = Dictionary(people.flatMap(\.devices).map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Draws `count` people.
    ///
    /// - Parameter now: seconds since 1970.
    public init(_ count: Int, seed: UInt64, now: Int64) {
        var draw = PeopleDraw(seed: seed, now: now)
        self.init(people: (1...max(1, count)).map { draw.person($0) })
    }

    /// All devices that the daemon serves.
    public var servedDevices: Int { people.reduce(0) { $0 + $1.served.count } }
}
