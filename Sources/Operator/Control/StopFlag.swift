import Service
import Glibc
import Synchronization

/// SIGINT and SIGTERM as a flag that a long command reads between two steps.
final class StopFlag: Sendable {
    private let raised = Atomic<Bool>(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() { raised.store(true, ordering: .releasing) }

    /// Runs `work`. Meanwhile the signals raise the flag.
    func onSignals<T>(_ work: () async throws -> T) async rethrows -> T {
        let signals = SignalSource([SIGINT: { self.raise() }, SIGTERM: { self.raise() }])
        defer { withExtendedLifetime(signals) {} }
        return try await work()
    }
}
