import Base
package import Configuration
import Core
import Glibc
import JSON
package import Policy
import Service
package import Systemd
import TimeZones

import struct FoundationEssentials.UUID

package struct PauseReport: CommandOutput {
    let pauses: [Pause]
    let new: Set<NudgeKind>

    /// Pauses a kind; nil: all kinds. A kind that is paused already stays as it is.
    package static func pause(_ kind: NudgeKind?, why: String?, _ configuration: Configuration) async throws -> Self {
        let (kinds, byWhom) = (kind.map { [$0] } ?? NudgeKind.allCases, "\(userName())@\(HostName.own)")
        return try await DatabaseAccess(configuration).withStore { store in
            let new = try await store.pause(kinds, by: byWhom, why: why)
            return PauseReport(pauses: try await store.pauses().filter { kinds.contains($0.kind) }, new: new)
        }
    }

    /// Who runs the command. `SUDO_USER` names the person who uses root's rights.
    private static func userName() -> String {
        if let behind = ProcessEnvironment.current()["SUDO_USER"], !behind.isEmpty { return behind }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        let status = getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found)
        guard status == 0, found != nil, let name = entry.pw_name else { return "uid \(getuid())" }
        return String(cString: name)
    }

    package func text(on screen: Screen) -> String {
        pauses.map { pause in
            let kind = pause.kind.rawValue
            let why = pause.reason.map { ": \($0.printable)" } ?? ""
            let since = "(since \(pause.since.rfc3339), by \(pause.byWhom.printable))\(why)"
            guard new.contains(pause.kind) else { return "\(kind) was paused already \(since)" }
            return "paused \(kind) \(since); every daemon sees it within a second"
        }.joined(separator: "\n")
    }

    package var json: String { Fields.text(["paused": pauses.map { $0.fields + ["new": new.contains($0.kind)] }]) }
}

extension Pause {
    var fields: Fields {
        ["kind": kind.rawValue, "since": since, "by": byWhom, "reason": reason, "resumed_at": resumedAt]
    }
}

package struct ResumeReport: CommandOutput {
    let resumed: [Pause]
    let result: UserWalk.Result

    /// Ends the pause of a kind; nil: of all kinds. Users who were evaluated since the pause become due.
    package static func resume(_ kind: NudgeKind?, _ config: Configuration, onProgress: Progress) async throws -> Self {
        let flag = StopFlag()
        return try await flag.onSignals {
            try await DatabaseAccess(config).withStore { store in
                let resumed = try await store.resume(kind.map { [$0] } ?? NudgeKind.allCases)
                guard let since = resumed.map(\.heldSince).min(), let until = resumed.compactMap(\.resumedAt).max()
                else { return ResumeReport(resumed: [], result: UserWalk.Result()) }
                // Daemons read the pauses each second. If one hangs longer, its users are picked up within a day.
                try? await Task.sleep(for: .milliseconds(2_500))
                // Seconds. Daemons may have applied the pause this long before or after its recorded instants.
                let slack: Int64 = 10
                let walk = UserWalk(store: store, flag: flag, evaluated: min(since, until) - slack...until + slack)
                let result = try await walk.run(onProgress: onProgress)
                if !result.isInterrupted { try await store.endResume(resumed.map(\.kind)) }
                return ResumeReport(resumed: resumed, result: result)
            }
        }
    }

    package var status: ExitStatus { result.isInterrupted ? .interrupted : .success }

    package func text(on screen: Screen) -> String {
        guard !resumed.isEmpty else { return "nothing was paused" }
        let kinds = resumed.map(\.kind.rawValue).joined(separator: ", ")
        let users = Elapsed.counted(result.woken, "user was", "users were")
        let due = "resumed \(kinds): \(users) evaluated during the pause and will be evaluated again"
        guard result.isInterrupted else { return due }
        return "\(due); interrupted: run nudged resume again for the others (otherwise they follow within a day)"
    }

    package var json: String {
        let kinds = resumed.map(\.kind.rawValue)
        return Fields.text(["resumed": kinds, "users": result.woken, "interrupted": result.isInterrupted])
    }
}

/// Every user is due, because rules or time zones have changed, or the app's rows were there before nudged.
package struct ReplanReport: CommandOutput {
    let result: UserWalk.Result

    /// Well below what one daemon evaluates and settles in a second (docs/PERFORMANCE.md), so the service keeps up.
    package static let usersASecond = 2_000
    static let pace = Duration.seconds(1) / usersASecond

    package static func replan(over: Duration?, _ config: Configuration, onProgress: Progress) async throws -> Self {
        let flag = StopFlag()
        return try await flag.onSignals {
            try await DatabaseAccess(config).withStore { store in
                let walk = UserWalk(store: store, flag: flag, evaluated: nil)
                return ReplanReport(result: try await walk.run(over: over, onProgress: onProgress))
            }
        }
    }

    package var status: ExitStatus { result.isInterrupted ? .interrupted : .success }

    package func text(on screen: Screen) -> String {
        let (one, many) = ("user that nudged had not seen was added", "users that nudged had not seen were added")
        return result.adopted > 0 ? "\(summary)\n\(Elapsed.counted(result.adopted, one, many))" : summary
    }

    private var summary: String {
        let users = Elapsed.counted(result.users, "user", "users")
        let due = "\(Elapsed.grouped(result.woken)) of \(users) \(result.woken == 1 ? "was" : "were") made due"
        if result.isInterrupted { return "interrupted: \(due); run nudged replan again for the others" }
        return result.woken == result.users ? due : "\(due), the others were due already"
    }

    package var json: String {
        Fields.text([
            "users": result.users, "made_due": result.woken, "new": result.adopted,
            "interrupted": result.isInterrupted,
        ])
    }
}

/// Makes users due in the order of `user_id`, a page in each transaction, at a pace that leaves the database time for
/// other work and that daemons can keep.
struct UserWalk {
    let store: Store
    let flag: StopFlag
    /// Only users who were evaluated between these instants. Nil: all users.
    let evaluated: ClosedRange<Instant>?

    struct Result: Sendable, Equatable {
        /// Users who were in the app's views and not in nudged.person.
        var adopted = 0
        var woken = 0
        var users = 0
        var isInterrupted = false
    }

    private var steps: Steps { Steps(flag: flag) }

    /// Hands users who are in the app's views and not in nudged.person to the daemons. Returns how many.
    private func adopt(pace: Duration) async throws -> Int {
        var total = 0
        let begun = ContinuousClock.now
        try await steps.pages { user in
            await rest(until: begun + pace * total)
            let page = try await store.adoptUsers(from: user, limit: Steps.page)
            total += page.users
            return page.next
        }
        await rest(until: begun + pace * total)
        return total
    }

    /// - Parameter span: the time to take. Nil: `ReplanReport.pace` for each user.
    func run(over span: Duration? = nil, onProgress: Progress) async throws -> Result {
        let total = try await steps.count { try await store.count(.countUsers, from: $0, most: Steps.countedAtOnce) }
        let pace = span.map { $0 / max(1, total) } ?? ReplanReport.pace
        var result = try await Result(adopted: evaluated == nil ? adopt(pace: pace) : 0)
        let begun = ContinuousClock.now
        let isComplete = try await steps.pages { user in
            // The database's clock, read for each page: with one instant for all pages, later users would look overdue.
            let now = Instant(seconds: try await store.clock() / 1_000_000)
            let page = try await store.wakeUsers(from: user, now: now, evaluated: evaluated, limit: Steps.page)
            result.woken += page.woken
            result.users += page.users
            onProgress(result.users, total)
            // Users who are not affected cost no waiting time.
            if page.next != nil { await rest(until: begun + pace * (evaluated == nil ? result.users : result.woken)) }
            return page.next
        }
        result.isInterrupted = !isComplete
        return result
    }

    private func rest(until end: ContinuousClock.Instant) async {
        while !flag.isRaised, end > .now { try? await Task.sleep(for: min(.milliseconds(50), end - .now)) }
    }
}
