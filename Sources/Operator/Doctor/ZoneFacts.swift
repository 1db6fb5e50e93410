import Service
import TimeZones

/// What there is to say of the time-zone files, which decide when it is ten o'clock for somebody.
struct ZoneFacts: Sendable {
    /// Where they lie, and whether TZDIR says so.
    let directory: String
    let isChosen: Bool
    let release: ZoneDatabase.Release
    /// How many zones were read, and what could not be.
    let count: Int
    let failures: [String]
    /// Seconds east of UTC now, by zone.
    let offsets: [String: Int]

    private static let files = Finding.Place(.zones, "files")
    private static let age = Finding.Place(.zones, "release")
    private static let server = Finding.Place(.zones, "postgresql")
    private static let upgrade =
        "upgrade the system's tzdata package (apt-get install --only-upgrade tzdata), then nudged reload and nudged replan"

    /// - Parameters:
    ///   - now: this machine's clock.
    ///   - server: the offsets that PostgreSQL works with, in the same minute.
    func findings(now: Instant, server: Known<[String: Int]>) -> [Finding] { [read, released(now), compared(server)] }

    private var read: Finding {
        let origin = isChosen ? "TZDIR" : "the system's"
        if count == 0 {
            return Self.files.error(
                "no zone is in \(directory) (\(origin)): everyone counts as without a zone",
                mend: "install tzdata, or correct TZDIR",
                .configuration
            )
        }
        if let first = failures.first {
            return Self.files.error(
                "\(failures.count) files of \(directory) (\(origin)) can't be read, the first: \(first)",
                mend: "see what keeps this user from reading them; users of those zones wait meanwhile",
                .unavailable
            )
        }
        return Self.files.ok("\(count) zones in \(directory) (\(origin))")
    }

    /// Every year has had a release at least: what is named for the year before the last lacks one for sure.
    private func released(_ now: Instant) -> Finding {
        guard let name = release.name, let year = release.year else {
            return Self.age.unchecked(
                "the files don't say which release they are of (no tzdata.zi)"
                    + (release.modified.map { "; they are \(Elapsed.words(now - $0)) old" } ?? "")
            )
        }
        let words = name + (release.modified.map { ", the files of \($0.rfc3339.prefix(10))" } ?? "")
        let isOld = (Int(now.rfc3339.prefix(4)) ?? year) - year >= 2
        return isOld
            ? Self.age.warning("\(words): governments have changed rules since", mend: Self.upgrade)
            : Self.age.ok(words)
    }

    /// Only what differs now can be seen: PostgreSQL doesn't tell its release.
    private func compared(_ server: Known<[String: Int]>) -> Finding {
        let theirs: [String: Int]
        switch server {
        case .value(let found): theirs = found
        case .failed(let error): return Self.server.unchecked(error.description)
        case .unasked(let why): return Self.server.unchecked(why)
        }
        let different = offsets.keys.filter { theirs[$0] != nil && theirs[$0] != offsets[$0] }.sorted()
        let unknown = offsets.keys.filter { theirs[$0] == nil && $0.contains("/") }.sorted()
        guard let first = different.first else {
            let lacks = unknown.isEmpty ? "" : "; it lacks \(unknown.count), as \(unknown[0])"
            return Self.server.ok("PostgreSQL has the same hour in all \(offsets.count - unknown.count) zones\(lacks)")
        }
        let (ours, their) = (offsets[first] ?? 0, theirs[first] ?? 0)
        return Self.server.warning(
            "PostgreSQL has another hour in \(different.count) zones, as \(first): \(InstantText.offset(Int64(their))) there, "
                + "\(InstantText.offset(Int64(ours))) here; nudges go by the files here",
            mend: "\(Self.upgrade); and upgrade tzdata, or PostgreSQL where it brings its own, on the database's host"
        )
    }
}

extension ZoneFacts {
    /// Reads the files.
    init(_ database: ZoneDatabase, isChosen: Bool, now: Instant) {
        let reading = database.reload()
        var offsets: [String: Int] = [:]
        for name in database.names {
            // What can't be read is among the failures.
            if let zone = try? database.zone(named: name) { offsets[name] = zone.offset(at: now) }
        }
        directory = database.directory
        self.isChosen = isChosen
        release = database.release
        count = reading.count
        failures = reading.failures.map { "\($0)" }
        self.offsets = offsets
    }
}
