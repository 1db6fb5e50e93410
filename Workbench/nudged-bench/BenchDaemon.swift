import Configuration
import Delivery
import Service
import Logging
import Synchronization
import TimeZones

/// The daemon's parts in this process, sweeping every second as `nudged run` does, with the share of the time in which it sweeps.
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

    /// Seconds in which a sweep claimed and sent, so far.
    var busySeconds: Double { busy.withLock { $0 } }

    func start() {
        sweeping.withLock { task in
            // It keeps the daemon until `stop`.
            task = Task { [self] in
                while !Task.isCancelled {
                    let next = ContinuousClock.now + .seconds(1)
                    let start = monotonicSeconds()
                    try? await engine.pipeline.sweep()
                    let seconds = monotonicSeconds() - start
                    busy.withLock { $0 += seconds }
                    // As the timer of the daemon: ticks that a long sweep missed are one.
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
