import Base

/// `nudged status --health`: whether the daemon that runs here sweeps. It asks neither the database nor Apple, since a
/// restart of the daemon helps against neither.
package struct HealthRun: Sendable {
    private let folder: String

    /// Three times `Watchdog.recordInterval`.
    static let longestSilence = Duration.seconds(30)

    /// - Parameter environment: `RUNTIME_DIRECTORY`, as the daemon has it. Default: `/run/nudged`.
    package init(environment: [String: String]) { folder = DaemonFiles.folder(environment) }

    /// - Parameter now: milliseconds of CLOCK_BOOTTIME.
    /// - Returns: the daemon's process id.
    /// - Throws: why there is none.
    package func run(now: Int64 = BootTime.milliseconds()) throws(LocalDaemonError) -> Int32 {
        let process = try DaemonFiles.daemon(in: folder)
        let silence = now - (DaemonFiles.state(in: folder)?.movedAt ?? 0)
        guard silence <= Self.longestSilence.milliseconds else {
            throw .hangs(process: process, seconds: silence / 1000)
        }
        return process
    }
}
