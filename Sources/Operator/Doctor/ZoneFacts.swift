import Service
import Base
import NudgedPreferences
import Postgres
import TimeZones

struct ZoneFacts: Sendable {
    let directory: String
    let isChosen: Bool
    let release: ZoneDatabase.Release
    let count: Int
    let failures: [String]
    /// Seconds east of UTC at present, by zone.
    let offsets: [String: Int]

    private static let upgrade =
        "upgrade the system's tzdata package (apt-get install --only-upgrade tzdata), "
        + "then run nudged reload and nudged replan"

    private static let most = 10_000
    static let mostParameter = Parameter.int8(Int64(most))

    func findings(now: Instant) -> [Finding] { [read.of(.zones, "files"), released(now).of(.zones, "release")] }

    private var read: Finding {
        let origin = isChosen ? "TZDIR" : "the system's"
        if count == 0 {
            return .error("\(directory) (\(origin)) has no time zones: all users count as users without a zone")
                .fix("install tzdata, or correct TZDIR")
        }
        if let first = failures.first {
            let files = Elapsed.counted(failures.count, "file", "files")
            return .error("\(files) of \(directory) (\(origin)) can't be read, the first: \(first)", .unavailable)
                .fix("let this user read them; until then, users of those zones wait")
        }
        return .ok("\(count) zones in \(directory) (\(origin))")
    }

    /// There is at least one release each year. So a release from the year before last is outdated for certain.
    private func released(_ now: Instant) -> Finding {
        guard let name = release.name, let year = release.year else {
            let age = release.modified.map { "; they are \(Elapsed.text(now - $0)) old" } ?? ""
            return .unchecked("the files don't name their release (no tzdata.zi)\(age)")
        }
        let text = name + (release.modified.map { ", the files of \($0.rfc3339.prefix(10))" } ?? "")
        let isOld = (Int(now.rfc3339.prefix(4)) ?? year) - year >= 2
        return isOld ? .warning("\(text): governments have changed rules since").fix(Self.upgrade) : .ok(text)
    }

    /// PostgreSQL and each host have lists of their own. So SQL may accept a name that a daemon can't use.
    func known(_ used: [(name: String, count: Int)], _ server: [String: Int]) -> Finding {
        let unknown = used.filter { !isKnown($0.name) }
        guard let first = unknown.first else { return .ok("this host knows all zones that users and reminders have") }
        let count = unknown.reduce(0) { $0 + $1.count }
        let have = Elapsed.counted(count, "user or reminder has", "users and reminders have")
        let found =
            "\(have) a zone that this host does not know, most often \(String(first.name.prefix(64)).printable). "
            + "Such users count as users without this zone. Such reminders wait. (\(Self.checked) of each)"
        let install = "\(Self.upgrade); if the host has no tzdata.zi, install tzdata-legacy"
        let rename = "let the app write names such as Europe/Berlin (docs/POLICY.md, \"Time zone\")"
        return .warning(found).fix(server[first.name] != nil ? "PostgreSQL knows it: \(install)" : rename)
    }

    private static let checked = "Checked: the first \(Elapsed.grouped(most))"

    private func isKnown(_ name: String) -> Bool {
        // Swift's keys are equal by canonical equivalence.
        name.utf8.allSatisfy { $0 < 0x80 } && (offsets[name] != nil || ZoneName.namesOfUTC.contains(name))
    }

    /// Messages of users without a valid zone are dropped after a day, unless the user has no quiet hours.
    func waiting(_ messages: [(preferences: String?, profile: String?, count: Int)], standard: String?) -> Finding {
        let count = messages.reduce(0) { count, users in
            [users.preferences, users.profile, standard].contains { $0.map(isKnown) ?? false }
                ? count : count + users.count
        }
        guard count > 0 else { return .ok("no message waits for a user's time zone") }
        let wait = Elapsed.counted(count, "message waits", "messages wait")
        let end = "Each is dropped 24 hours after it was sent. (\(Self.checked) messages)"
        return .warning("\(wait) for users without a valid time zone. \(end)")
            .fix("let the app write the users' time zones, or set policy.defaultTimezone")
    }

    /// PostgreSQL does not tell its release. So only zones that differ now can be found.
    func compared(_ theirs: [String: Int]) -> Finding {
        func text(_ offset: Int?) -> String { InstantText.offset(Int64(offset ?? 0)) }
        let different = offsets.keys.filter { theirs[$0] != nil && theirs[$0] != offsets[$0] }.sorted()
        let unknown = offsets.keys.filter { theirs[$0] == nil && $0.contains("/") }.sorted()
        guard let first = different.first else {
            let lacks = unknown.isEmpty ? "" : "; it lacks \(unknown.count), for example \(unknown[0])"
            return .ok("PostgreSQL has the same local time in all \(offsets.count - unknown.count) zones\(lacks)")
        }
        let (here, there) = (text(offsets[first]), text(theirs[first]))
        let example = "for example \(first): \(there) there, \(here) here; nudged uses the files here"
        let zones = Elapsed.counted(different.count, "zone", "zones")
        return .warning("PostgreSQL has another local time in \(zones), \(example)")
            .fix("\(Self.upgrade); on the database's host upgrade tzdata, or PostgreSQL if it brings its own")
    }
}

extension ZoneFacts {
    init(_ database: ZoneDatabase, isChosen: Bool, now: Instant) {
        let reading = database.reload()
        var offsets: [String: Int] = [:]
        for name in database.names {
            // `reload` has reported the zones that can't be read.
            if let zone = try? database.zone(named: name) { offsets[name] = zone.offset(at: now) }
        }
        (directory, release, self.isChosen) = (database.directory, database.release, isChosen)
        (count, failures, self.offsets) = (reading.count, reading.failures.map { "\($0)" }, offsets)
    }
}
