package import APNs
import Logging
import Postgres
package import Store
import Systemd
import TimeZones

/// The parts that do the work, put together: database, sender and sweeper. The service, `run --once`, the demo and the tests drive it.
package final class Engine: Sendable {
    let assembly: Assembly
    package let store: Store
    package let migrator: Migrator
    package let sender: Sender
    package let sweeper: Sweeper
    let reporter: Reporter

    /// - Parameters:
    ///   - clock: the policy's; the database's unless a test or the demo turns another.
    ///   - onEvent: hears of each sweep beside the reporter.
    /// - Throws: `ConfigurationFault` where the key is none.
    package init(
        _ assembly: Assembly,
        reporter: Reporter,
        clock: PolicyClock = .database(),
        hooks: SweepHooks = SweepHooks(),
        onEvent: @escaping @Sendable (SweepEvent) -> Void = { _ in }
    ) throws(ConfigurationFault) {
        self.assembly = assembly
        self.reporter = reporter
        store = Store(
            configuration: assembly.connection,
            statementTimeout: assembly.statementTimeout,
            onFailure: { reporter.databaseFailed($0) }
        )
        migrator = Migrator(configuration: assembly.connection, onFailure: { reporter.databaseFailed($0) })
        sender = try Self.sender(assembly.sender, reporter)
        sweeper = Sweeper(
            store: store,
            sender: sender,
            clock: clock,
            judge: assembly.judge,
            settings: assembly.settings,
            hooks: hooks
        ) { event in
            reporter.sweep(event)
            onEvent(event)
        }
    }

    private static func sender(
        _ configuration: SenderConfiguration,
        _ reporter: Reporter
    ) throws(ConfigurationFault) -> Sender {
        do throws(APNsError) {
            return try Sender(
                configuration: configuration,
                clock: .system,
                log: { reporter.sender($0) },
                onStateChange: { _ in }
            )
        } catch {
            throw ConfigurationFault.key(error)
        }
    }

    /// How long a stop waits for the database, beyond the response time-out.
    static let stopGrace: Int64 = 5_000

    /// Pushes in flight resolve, their outcomes are recorded, then the connections close. Bounded: what the database does not take by then
    /// is left to be recorded as unknown.
    package func finish() async {
        await sweeper.stop()
        let answersBy = BootTime.milliseconds() + assembly.settings.responseMilliseconds
        let sweeper = sweeper
        let timer = Task {
            try await Task.sleep(for: .milliseconds(assembly.settings.responseMilliseconds + Self.stopGrace))
            await sweeper.abandon()
        }
        await sender.drain(deadline: answersBy)
        await sweeper.quiesce()
        timer.cancel()
        await store.close()
        await migrator.close()
    }
}

extension ConfigurationFault {
    /// The sender's word on the signing key.
    static func key(_ error: APNsError) -> ConfigurationFault {
        ConfigurationFault(
            key: "apns.privateKey",
            what: "\(error)",
            mend: "use the .p8 file of Apple's developer portal as it is"
        )
    }
}
