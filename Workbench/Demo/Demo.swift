import Service
import Glibc
public import Systemd
import TimeZones

/// A day in fast motion, on a private PostgreSQL and before a simulated Apple, with a proof at its end.
///
/// Everything but Apple and the clock is real: the server, the migrations on an app's own tables, the triggers, the sweep, TLS and HTTP/2.
public struct Demo: Sendable {
    let users: Int
    let seed: UInt64
    let output: DemoOutput
    /// The operator's rules as environment variables. People without a wish of their own are asked from 10:00 to 14:00, and those whose night
    /// ends come within its first half hour.
    var rules = ["POLICY_SPREAD_MINUTES": "240", "POLICY_QUIET_END_JITTER_MINUTES": "30"]

    /// The day's first instant; nil: the next full UTC hour.
    var start: Instant?

    /// - Parameters:
    ///   - users: how many people; 1 or more.
    ///   - seed: the same people for the same seed.
    ///   - output: where the lines go, and how wide and colourful they may be.
    public init(users: Int = 10_000, seed: UInt64 = 1, output: DemoOutput = .standard()) {
        self.users = max(users, 1)
        self.seed = seed
        self.output = output
    }

    /// Runs the day. SIGINT and SIGTERM end it early; whatever ends it, the server is stopped and its folder removed before this returns.
    /// (After SIGKILL the server's own watchdog does that.)
    ///
    /// - Returns: `success` only where the simulator's log and the record agree, nobody was woken, no check-in reached a device twice and exactly the
    ///   stale tokens were deleted; `software` where one of these failed; `interrupted` after a signal; `unavailable` where something that it needs
    ///   is missing, said in words with the mend.
    public func run() async -> ExitStatus {
        let interruption = Interruption()
        let signals = SignalSource([
            SIGINT: { interruption.raise() },
            SIGTERM: { interruption.raise() },
        ])
        defer { withExtendedLifetime(signals) {} }
        return await run(interruption)
    }
}
