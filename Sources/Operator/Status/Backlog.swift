import Service
import Core
import TimeZones

/// Users who are due, and how fast they are served.
struct Backlog: Sendable, Equatable {
    let users: Int
    /// Seconds since the first of them is due.
    let late: Int64
    /// Users served a minute, by all daemons.
    let perMinute: Int
    /// Seconds that users wait at most where all is well: two sweeps, and a daemon's row is ten seconds old.
    let usualDelay: Int64

    init(_ work: WorkStatus, _ alive: [ListedDaemon]) {
        users = work.dueUsers
        late = work.dueUsers > 0 ? work.firstDue.map { work.now - $0 } ?? 0 : 0
        let states = alive.compactMap(\.state)
        perMinute = states.reduce(0) { $0 + $1.usersPerMinute }
        usualDelay = 10 + 2 * (states.map(\.intervalMilliseconds).max() ?? 0) / 1000
    }

    /// Seconds after which it counts as a fault that nobody is served.
    var patience: Int64 { usualDelay + 60 }

    /// Seconds until nobody waits, if nobody else becomes due. Nil: nobody is served now.
    var secondsLeft: Int64? {
        guard users > 0, perMinute > 0 else { return nil }
        return (Int64(users) * 60 + Int64(perMinute) - 1) / Int64(perMinute)
    }

    /// `12,400 users wait, the oldest for 4 min`.
    var text: String {
        let who = users == 1 ? "1 user waits" : "\(Elapsed.capped(users, WorkStatus.mostDue)) users wait"
        return "\(who), \(users == 1 ? "" : "the oldest ")for \(Elapsed.text(late))"
    }

    /// `310 users/s, about 40 s left`.
    var pace: String {
        guard let left = secondsLeft else { return "none was served in the last 10 s" }
        let rate = perMinute < 60 ? "\(perMinute) users/min" : "\(Elapsed.grouped(perMinute / 60)) users/s"
        return "\(rate), \(users >= WorkStatus.mostDue ? "at least" : "about") \(Elapsed.text(left)) left"
    }
}
