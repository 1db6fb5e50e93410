import Seeded

/// Where people live: most in zones of large populations, the others in any zone of the database.
struct Places: Sendable {
    private let large: [(String, Int)]
    private let all: [String]

    /// How many in a thousand live in one of the large zones.
    private static let shareOfLarge: UInt64 = 800

    /// - Parameter names: every zone of the database, sorted, so the same database gives the same people.
    init(names: [String]) {
        let known = Set(names)
        large = Self.weights.filter { known.contains($0.0) }
        all = names
    }

    /// A zone; nil if the database is empty.
    func draw(_ generator: inout SplitMix64) -> String? {
        let fromLarge = generator.chance(Self.shareOfLarge)
        let place = fromLarge ? generator.pick(weighted: large) : nil
        return place ?? generator.pick(all)
    }

    /// Weights, roughly by the number of phones. They include half-hour and quarter-hour offsets and both hemispheres.
    private static let weights: [(String, Int)] = [
        ("America/New_York", 110), ("America/Chicago", 60), ("America/Denver", 25), ("America/Los_Angeles", 70),
        ("America/Toronto", 25), ("America/Halifax", 6), ("America/St_Johns", 4), ("America/Mexico_City", 40),
        ("America/Bogota", 18), ("America/Sao_Paulo", 60), ("America/Argentina/Buenos_Aires", 20),
        ("America/Santiago", 12),
        ("Europe/London", 60), ("Europe/Lisbon", 10), ("Europe/Paris", 50), ("Europe/Berlin", 60),
        ("Europe/Madrid", 35),
        ("Europe/Rome", 35), ("Europe/Warsaw", 25), ("Europe/Stockholm", 12), ("Europe/Istanbul", 35),
        ("Europe/Kyiv", 14),
        ("Africa/Cairo", 25), ("Africa/Lagos", 30), ("Africa/Nairobi", 14), ("Africa/Johannesburg", 16),
        ("Asia/Dubai", 14), ("Asia/Tehran", 14), ("Asia/Kolkata", 90), ("Asia/Kathmandu", 6), ("Asia/Dhaka", 14),
        ("Asia/Jakarta", 35), ("Asia/Bangkok", 25), ("Asia/Shanghai", 90), ("Asia/Tokyo", 70), ("Asia/Seoul", 35),
        ("Asia/Manila", 20), ("Australia/Sydney", 22), ("Australia/Adelaide", 5), ("Pacific/Auckland", 8),
        ("Pacific/Chatham", 2), ("Pacific/Honolulu", 4),
    ]
}
