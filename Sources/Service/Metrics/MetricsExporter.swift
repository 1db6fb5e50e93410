import Base
import Configuration
import Core
import Metrics
import Postgres
import Synchronization

/// Shows the metrics on a port or in a file, as configured. Each second it gathers them and retries what failed.
/// Without a port and a file it does nothing.
actor MetricsExporter {
    private let gather: @Sendable () async -> MetricsState
    private let reporter: Reporter
    private let connection: ConnectionConfiguration
    private var settings = Configuration.Metrics()
    private var server: ScrapeServer?
    private var loop: (ticker: Ticker, task: Task<Void, Never>)?
    /// Has its own connection, so that no sweep waits for these queries.
    private var store: Store?
    private var pace = WorkPace()
    private var work: (status: WorkStatus, askedAt: Int64)?
    /// CLOCK_BOOTTIME milliseconds.
    private var nextListening: Int64 = 0
    private var nextWriting: Int64 = 0
    /// What a scrape gets. Read on the server's thread.
    private let latest: Latest

    private final class Latest: Sendable {
        let state = Mutex<MetricsState?>(nil)
    }

    /// Milliseconds from one attempt to listen to the next, and from one file to the next.
    private static let interval: Int64 = 10_000
    /// Milliseconds. An older answer is not shown.
    private static let oldest: Int64 = 60_000
    /// The statement time-out: nobody waits for this answer, so it must not take long.
    private static let patience = Duration.seconds(5)

    /// - Parameters:
    ///   - connection: the database that has the state of the work.
    ///   - gather: gets everything else.
    init(
        connection: ConnectionConfiguration,
        reporter: Reporter,
        gather: @escaping @Sendable () async -> MetricsState
    ) {
        self.connection = connection
        self.reporter = reporter
        self.gather = gather
        latest = Latest()
    }

    /// Applies a configuration. What fails is reported and tried again.
    func apply(_ next: Configuration.Metrics) async {
        if next.listen != settings.listen {
            server?.stop()
            server = nil
            nextListening = 0
        }
        if let old = settings.file, old != next.file { MetricsFile(old).remove() }
        nextWriting = 0
        settings = next
        if next == Configuration.Metrics() { await rest() } else { start() }
    }

    /// Stops showing metrics.
    func end() async { await apply(Configuration.Metrics()) }

    private func start() {
        guard loop == nil else { return }
        let ticker = Ticker(every: .seconds(1))
        let task = Task { [weak self] in
            for await _ in ticker.ticks { await self?.step() }
        }
        loop = (ticker, task)
    }

    private func rest() async {
        loop?.ticker.cancel()
        loop = nil
        work = nil
        latest.state.withLock { $0 = nil }
        await store?.close()
        store = nil
    }

    private func step() async {
        let now = BootTime.milliseconds()
        var state = await gather()
        // `end` was called meanwhile.
        guard loop != nil else { return }
        if let work, now - work.askedAt < Self.oldest {
            state.work = MetricsState.Work(status: work.status, age: .milliseconds(now - work.askedAt))
        }
        latest.state.withLock { $0 = state }
        if state.isSchemaUsable, pace.begin(now: now) { Task { await ask() } }
        listen(now)
        write(now, state)
    }

    private func ask() async {
        guard loop != nil else { return pace.end(now: BootTime.milliseconds()) }
        let store = store ?? Store(configuration: connection, statementTimeout: Self.patience)
        self.store = store
        let askedAt = BootTime.milliseconds()
        // The sweeps report a database that does not answer. Meanwhile nothing is shown about the work.
        if let status = try? await store.workStatus() { work = (status, askedAt) }
        pace.end(now: BootTime.milliseconds())
    }

    private func listen(_ now: Int64) {
        guard let address = settings.listen, server == nil, now >= nextListening else { return }
        nextListening = now + Self.interval
        let latest = latest
        do throws(MetricsError) {
            server = try ScrapeServer(at: address) {
                latest.state.withLock { $0 }.map { MetricsPage(state: $0).text } ?? []
            }
            reporter.metricsShown(at: "http://\(address)/metrics")
        } catch {
            reporter.metricsFailed(error, at: "\(address)")
        }
    }

    private func write(_ now: Int64, _ state: MetricsState) {
        guard let file = settings.file, now >= nextWriting else { return }
        nextWriting = now + Self.interval
        do throws(MetricsError) {
            try MetricsFile(file).write(MetricsPage(state: state).text)
            reporter.metricsShown(at: file)
        } catch {
            reporter.metricsFailed(error, at: file)
        }
    }
}
