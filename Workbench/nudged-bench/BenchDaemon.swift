import Configuration
import Core
import Service
import Logging
import Synchronization
import TimeZones

/// The daemon's parts in this process. Like `nudged run` it sweeps every second, and it measures the time in sweeps.
final class BenchDaemon: Sendable {
    private let engine: Engine
    private let busy = Mutex(0.0)
    private let sweeping = Mutex<Task<Void, Never>?>(nil)

    init(_ configuration: Configuration) throws {
        engine = try Engine(
            try Assembly(configuration, zones: ZoneDatabase()),
            reporter: Reporter(Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
        )
    }

    /// Seconds spent in sweeps so far.
    var busySeconds: Double { busy.withLock { $0 } }

    func start() {
        sweeping.withLock { task in
            // The task retains the daemon until `stop`.
            task = Task { [self] in
                while !Task.isCancelled {
                    let next = ContinuousClock.now + .seconds(1)
                    let start = monotonicSeconds()
                    try? await engine.pipeline.sweep()
                    let seconds = monotonicSeconds() - start
                    busy.withLock { $0 += seconds }
                    // Like the daemon's timer: ticks that a long sweep missed count as one.
                    try? await Task.sleep(until: next)
                }
            }
        }
    }

    func stop() async {
        let task = sweeping.withLock { $0 }
        task?.cancel()
        await engine.finish()
        await task?.value
    }
}
