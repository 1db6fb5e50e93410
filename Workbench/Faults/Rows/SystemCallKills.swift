import Glibc
import LocalPostgres
import Seeded

extension Fault {
    /// The process is killed when it enters its K-th call of one kind, during its start and during its work.
    static let systemCallKills = Fault("kill-at-system-calls", row: "kill -9 at any point", obstacle: Strace.obstacle) {
        plan in
        // The calls for sockets, waiting, waking and memory.
        let calls = [
            "sendto", "recvfrom", "poll", "write", "futex", "read", "epoll_wait", "openat", "close", "mmap", "connect",
            "socket",
        ]
        let (count, times) = plan.pick(quick: (5, 1), full: (calls.count, 5))
        return calls.prefix(count).flatMap { call in
            (1...times).map { time in
                plan.round("\(call) \(time)", users: 150, scenery: Strace.scenery) { stage, random in
                    var random = random
                    try await Self.killWorking(call, stage, &random)
                    try await Self.killStarting(call, stage, &random)
                }
            }
        }
    }

    private static func killStarting(_ call: String, _ stage: Stage, _ random: inout SplitMix64) async throws {
        // Smaller numbers are more likely.
        let most = [4, 20, 60, 150][Int(random.next() % 4)]
        let place = Int(random.next() % UInt64(most)) + 1
        let process = try stage.start(
            ["run", "--once", "--json"],
            wrapper: Strace.wrapper(call, "signal=SIGKILL:when=\(place)")
        )
        try await stage.mourn(process)
        if process.exit != .signal(SIGKILL), process.exit != .code(0) {
            stage.fail("\(call) \(place): \(String(describing: process.exit)): \(process.errorOutput.suffix(1000))")
        }
    }

    private static func killWorking(_ call: String, _ stage: Stage, _ random: inout SplitMix64) async throws {
        let process = try stage.service()
        let wanted = stage.acceptedCount + 5 + Int(random.next() % 40)
        _ = try await stage.awaitAccepted(wanted, by: process)
        let tracer = try Strace.attach(process, call, "signal=SIGKILL:when=\(Int(random.next() % 60) + 1)")
        // Some calls are rare by now. Then it is killed after three seconds.
        _ = try await onOwnThread { process.wait(.seconds(3)) }
        try await stage.kill(process)
        _ = try await onOwnThread { tracer.end() }
    }
}
