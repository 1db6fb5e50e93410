import Base
import Configuration
import Core
import Metrics
import Postgres
import Synchronization
import TimeZones

/// Shows the metrics on a port. Each second it reads them. Without a port it does nothing.
actor MetricsExporter {
    private let read: @Sendable () async -> DaemonMetrics
    private let reporter: Reporter
    private let connection: ConnectionConfiguration
    private var settings: Configuration.Metrics?
    private var server: ScrapeServer?
    private var ticker: Ticker?
    /// Has its own connection, so that no sweep waits for these queries.
    private var store: Store?
    /// Every fifteen seconds, but for at most a twentieth of the time.
    private var pace = Pace(interval: 15_000, rest: 20)
    private var work: (status: WorkStatus, asked: Int64)?
    /// CLOCK_BOOTTIME milliseconds.
    private var nextListening: Int64 = 0
    /// What a scrape gets. Read on the server's thread.
    private let latest = Mutex<DaemonMetrics?>(nil)

    /// Milliseconds from one attempt to listen to the next.
    private static let interval: Int64 = 10_000
    /// Milliseconds. An older answer is not shown.
    private static let oldest: Int64 = 60_000
    /// The statement time-out: nobody waits for this answer, so it must not take long.
    private static let patience = Duration.seconds(5)

    /// `connection`: to the database that has the state of the work. `read` gets everything else.
    init(connection: ConnectionConfiguration, reporter: Reporter, read: @escaping @Sendable () async -> DaemonMetrics) {
        (self.connection, self.reporter, self.read) = (connection, reporter, read)
    }

    func apply(_ next: Configuration.Metrics?) async {
        if next != settings {
            server?.stop()
            server = nil
            nextListening = 0
        }
        settings = next
        if next == nil {
            ticker?.cancel()
            (ticker, work) = (nil, nil)
            latest.withLock { $0 = nil }
            await store?.close()
            store = nil
        } else if ticker == nil {
            let ticker = Ticker(every: .seconds(1))
            self.ticker = ticker
            Task { [weak self] in for await _ in ticker.ticks { await self?.step() } }
        }
    }

    private func step() async {
        let now = BootTime.milliseconds()
        var metrics = await read()
        // It was ended meanwhile.
        guard ticker != nil else { return }
        if let work, now - work.asked < Self.oldest { metrics.work = (work.status, .milliseconds(now - work.asked)) }
        latest.withLock { $0 = metrics }
        if metrics.isSchemaUsable, pace.begin(now: now) { Task { await ask() } }
        guard let settings, server == nil, now >= nextListening else { return }
        nextListening = now + Self.interval
        let address = "\(settings.listen)"
        do throws(MetricsError) {
            server = try ScrapeServer(at: settings.listen, token: settings.token) { [weak self] in self?.page ?? [] }
            reporter.metricsShown(at: address)
        } catch { reporter.metricsFailed(error, at: address) }
    }

    private nonisolated var page: [UInt8] { latest.withLock { $0 }?.page ?? [] }

    private func ask() async {
        defer { pace.end(now: BootTime.milliseconds()) }
        guard ticker != nil else { return }
        let store = store ?? Store(configuration: connection, statementTimeout: Self.patience)
        self.store = store
        let asked = BootTime.milliseconds()
        // The sweeps report a database that does not answer. Meanwhile nothing is shown about the work.
        if let status = try? await store.workStatus() { work = (status, asked) }
    }
}

/// Counts from the events of sweeps, besides those of `SweepReport`.
struct MetricsBook: Sendable {
    /// Seconds per sweep. An idle sweep takes milliseconds, a burst of a million users takes minutes.
    private(set) var durations = Histogram(bounds: [
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ])
    private(set) var goodSweeps = 0
    private(set) var badSweeps = 0
    private(set) var quarantined = 0
    private(set) var writeFailures = 0

    mutating func hear(_ event: SweepEvent) {
        switch event {
        case .finished(_, let report):
            durations.observe(Double(report.milliseconds) / 1000)
            if report.isGood { goodSweeps += 1 } else { badSweeps += 1 }
        case .quarantined: quarantined += 1
        case .statementFailed, .settlementFailed: writeFailures += 1
        default: break
        }
    }
}
