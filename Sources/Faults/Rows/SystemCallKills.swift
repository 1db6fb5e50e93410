import Glibc
import LocalPostgres
import Seeded

extension Fault {
    /// The process is killed as it enters its K-th call of one kind, over calls and K.
    static let systemCallKills = Fault("kill-at-system-calls", row: "kill -9 at any point", obstacle: Strace.obstacle) { plan in
        // What the daemon lives by: sockets, waiting, waking, and memory.
        let calls = ["sendto", "recvfrom", "poll", "write", "read", "futex", "epoll_wait", "connect", "socket", "openat", "close", "mmap"]
        let (count, times) = plan.pick(test: (2, 1), quick: (5, 1), full: (calls.count, 5))
        return calls.prefix(count).flatMap { call in
            (1...times).map { time in
                plan.round("\(call) \(time)", users: 80) { stage, random in
                    var random = random
                    for _ in 1...2 {
                        // Small numbers more often: each thread counts its own calls.
                        let most = [4, 20, 60, 150][Int(random.next() % 4)]
                        let place = Int(random.next() % UInt64(most)) + 1
                        let process = try stage.start(
                            ["run", "--once", "--json"],
                            wrapper: Strace.wrapper(call, "signal=SIGKILL:when=\(place)")
                        )
                        try await stage.mourn(process, within: .seconds(120))
                        if process.exit != .signal(SIGKILL), process.exit != .code(0) {
                            stage.fail("\(call) \(place): \(String(describing: process.exit)): \(process.errorOutput.suffix(1000))")
                        }
                    }
                }
            }
        }
    }
}
