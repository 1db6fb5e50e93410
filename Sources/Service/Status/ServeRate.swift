/// How many users a daemon serves, measured over the last ten seconds.
struct ServeRate: Sendable {
    private static let window: Int64 = 10_000
    /// The first is the newest that is at least a window old, if there is one.
    private var samples: [(at: Int64, served: Int)] = []

    /// Takes a sample. Returns users a minute.
    ///
    /// - Parameters:
    ///   - served: users served since the start.
    ///   - now: milliseconds of CLOCK_BOOTTIME.
    mutating func perMinute(served: Int, now: Int64) -> Int {
        samples.append((now, served))
        while samples.count > 1, now - samples[1].at >= Self.window { samples.removeFirst() }
        guard let first = samples.first, now > first.at else { return 0 }
        return Int(Int64(served - first.served) * 60_000 / (now - first.at))
    }
}
