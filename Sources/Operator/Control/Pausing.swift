import Base
package import Configuration
import Core
import Glibc
import JSON
package import Policy
import Service
package import Systemd
import TimeZones

/// The result of `nudged pause`: rows in the database that every daemon reads.
package struct PauseReport: CommandOutput {
    let pauses: [Pause]
    let new: Set<NudgeKind>

    /// Pauses a kind; nil: all kinds. A kind that is paused already stays as it is.
    package static func pause(
        _ kind: NudgeKind?,
        reason: String?,
        _ configuration: Configuration,
        environment: [String: String]
    ) async throws -> PauseReport {
        let kinds = kind.map { [$0] } ?? NudgeKind.allCases
        let byWhom = "\(userName(environment))@\(HostName.own)"
        return try await DatabaseAccess(configuration).withStore { store in
            let new = try await store.pause(kinds, byWhom: byWhom, reason: reason)
            return PauseReport(pauses: try await store.pauses().filter { kinds.contains($0.kind) }, new: new)
        }
    }

    /// Who runs the command. `SUDO_USER` names the person who uses root's rights.
    private static func userName(_ environment: [String: String]) -> String {
        if let behind = environment["SUDO_USER"], !behind.isEmpty { return behind }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        let status = getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found)
        guard status == 0, found != nil, let name = entry.pw_name else { return "uid \(getuid())" }
        return String(cString: name)
    }

    package func text(on screen: Screen) -> String {
        pauses.map { pause in
            let since = "since \(pause.since.rfc3339), by \(pause.byWhom.printable)"
            let why = pause.reason.map { ": \($0.printable)" } ?? ""
            return new.contains(pause.kind)
                ? "paused \(pause.kind.rawValue) (\(since))\(why); every daemon sees it within a second"
                : "\(pause.kind.rawValue) was paused already (\(since))\(why)"
        }
        .joined(separator: "\n")
    }

    package var json: String {
        Fields.text(["paused": pauses.map { $0.fields + ["new": new.contains($0.kind)] }])
    }
}

extension Pause {
    var fields: Fields {
        ["kind": kind.rawValue, "since": since, "by": byWhom, "reason": reason, "resumed_at": resumedAt]
    }
}

package struct ResumeReport: CommandOutput {
    let resumed: [Pause]
    let result: UserWalk.Result

    /// Daemons read the pauses each second, so after this time none applies the pause any more. If a daemon hangs, its
    /// users are picked up within a day.
    private static let settling = Duration.milliseconds(2_500)
    /// Seconds. Daemons may have applied the pause this long before or after its recorded instants.
    private static let slack: Int64 = 10

    /// Ends the pause of a kind; nil: of all kinds. Users who were evaluated since the pause become due,
    /// `ReplanReport.usersASecond` each second. After an interruption, run it again.
    package static func resume(
        _ kind: NudgeKind?,
        _ configuration: Configuration,
        onProgress: (Int, Int) -> Void
    ) async throws -> ResumeReport {
        let kinds = kind.map { [$0] } ?? NudgeKind.allCases
        let flag = StopFlag()
        return try await flag.onSignals {
            try await DatabaseAccess(configuration).withStore { store in
                let resumed = try await store.resume(kinds)
                guard let since = resumed.map(\.heldSince).min(), let until = resumed.compactMap(\.resumedAt).max()
                else { return ResumeReport(resumed: [], result: UserWalk.Result()) }
                try? await Task.sleep(for: settling)
                let held = min(since, until) - slack...until + slack
                let walk = UserWalk(store: store, flag: flag, evaluated: held)
                let total = try await walk.count()
                let result = try await walk.run(pace: ReplanReport.pace) { onProgress($0.users, total) }
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
        Fields.text([
            "resumed": resumed.map(\.kind.rawValue), "users": result.woken, "interrupted": result.isInterrupted,
        ])
    }
}
