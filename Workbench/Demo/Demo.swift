import Service
import Glibc
package import Systemd
import TimeZones

/// A day in fast motion, with a private PostgreSQL and a simulated Apple, and with checks at its end.
///
/// Everything except Apple and the clock is real: the server, the migrations on an app's own tables, the triggers, the
/// sweeps, TLS and HTTP/2.
public struct Demo: Sendable {
    let users: Int
    let seed: UInt64
    let output: DemoOutput
    /// The operator's rules as environment variables. Check-ins without a chosen time come from 10:00 to 14:00. Those
    /// that wait for the end of quiet hours come in the half hour after it.
    var rules = ["POLICY_SPREAD_MINUTES": "240", "POLICY_QUIET_END_JITTER_MINUTES": "30"]

    /// The day's first instant; nil for the next full UTC hour.
    var start: Instant?

    /// - Parameters:
    ///   - users: how many people; at least 1.
    ///   - seed: the same seed gives the same people.
    ///   - output: where the lines are written, their width, and whether they have colours.
    public init(users: Int = 10_000, seed: UInt64 = 1, output: DemoOutput = .standard()) {
        self.users = max(users, 1)
        self.seed = seed
        self.output = output
    }

    /// Runs the day. SIGINT and SIGTERM end it early. Before this returns, the server is stopped and its folder
    /// removed. (After SIGKILL the server's own watchdog does that.)
    ///
    /// - Returns: `success` if all checks passed: record and simulator agree, nobody was woken, no check-in reached a
    ///   device twice, and exactly the stale tokens were deleted. `software` if one failed, `interrupted` after a
    ///   signal, `unavailable` if something is missing; the message says what and how to fix it.
    package func run() async -> ExitStatus {
        let interruption = Interruption()
        let signals = SignalSource([
            SIGINT: { interruption.raise() },
            SIGTERM: { interruption.raise() },
        ])
        defer { withExtendedLifetime(signals) {} }
        return await run(interruption)
    }
}
