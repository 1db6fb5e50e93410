import Glibc
import LocalPostgres
import Seeded

extension Fault {
    /// For two seconds, some calls of one kind fail in a running daemon. It goes on, and ends normally at SIGTERM.
    static let systemCallErrors = Fault("system-call-fails", row: "a system call fails", obstacle: Strace.obstacle) {
        plan in
        let failures = [
            ("recvfrom", "ECONNRESET"), ("sendto", "EPIPE"), ("write", "ENOSPC"), ("poll", "EINTR"),
            ("connect", "ETIMEDOUT"),
            ("socket", "EMFILE"), ("write", "EINTR"), ("recvfrom", "EINTR"), ("sendto", "EINTR"), ("sendto", "ENOBUFS"),
            ("recvfrom", "ETIMEDOUT"), ("connect", "ENETUNREACH"), ("eventfd2", "EMFILE"), ("openat", "EMFILE"),
            ("read", "EINTR"),
            ("epoll_wait", "EINTR"), ("getrandom", "EINTR"), ("poll", "ENOMEM"), ("mmap", "EAGAIN"),
        ]
        var scenery = Strace.scenery
        // What a failing call did not write gets no answer. Only a time-out ends that wait.
        scenery.environment["APNS_RESPONSE_TIMEOUT"] = "5s"
        scenery.environment["DATABASE_STATEMENT_TIMEOUT"] = "10s"
        let calm = scenery
        let count = plan.pick(quick: 5, full: failures.count)
        let times = plan.pick(quick: 1, full: 2)
        return failures.prefix(count).flatMap { call, error in
            (1...times).map { time in
                plan.round("\(call) \(error) \(time)", users: 250, scenery: calm) { stage, random in
                    try await Self.fail(call, error, stage, random)
                }
            }
        }
    }

    private static func fail(_ call: String, _ error: String, _ stage: Stage, _ random: SplitMix64) async throws {
        var random = random
        let process = try stage.service()
        _ = try await stage.awaitAccepted(10, by: process)
        let step = Int(random.next() % 20) + 2
        let injection = "error=\(error):when=\(Int(random.next() % 10) + 1)+\(step)"
        let tracer = try Strace.attach(process, call, injection)
        // These calls happen only when a connection is opened, so the connections are cut.
        if ["connect", "socket", "eventfd2", "openat"].contains(call) {
            try await stage.endSessions()
            stage.simulator.perform(.resetTCP)
        }
        try await Task.sleep(for: .seconds(2))
        _ = try await onOwnThread { tracer.end() }
        let end = stage.moment
        // When a connection to Apple breaks, its pushes in flight stay unanswered.
        defer {
            let cuts = max(0, stage.simulator.counts.connections - 1)
            stage.allow { $0.further = cuts * 12 }
        }
        if let exit = process.exit {
            stage.fail("\(call) \(injection): \(exit): \(process.errorOutput.suffix(1500))")
            try await stage.mourn(process)
            return
        }
        try await stage.measureRecovery(since: end, within: .seconds(30))
        try await stage.awaitIdle()
        try await stage.stop(process)
    }
}
