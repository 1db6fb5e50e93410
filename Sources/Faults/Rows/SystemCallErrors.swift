import Glibc
import LocalPostgres
import Seeded

extension Fault {
    /// A system call fails: the living daemon goes on, and ends well when it is told to.
    static let systemCallErrors = Fault("system-call-fails", row: "a system call fails", obstacle: Strace.obstacle) { plan in
        let failures = [
            ("recvfrom", "ECONNRESET"), ("sendto", "EPIPE"), ("write", "ENOSPC"), ("connect", "ETIMEDOUT"), ("socket", "EMFILE"),
            ("write", "EINTR"), ("poll", "EINTR"), ("recvfrom", "EINTR"), ("sendto", "ENOBUFS"), ("connect", "ENETUNREACH"),
            ("eventfd2", "EMFILE"), ("openat", "EMFILE"), ("read", "EIO"), ("epoll_wait", "EINTR"), ("getrandom", "EINTR"),
            ("poll", "ENOMEM"), ("futex", "EINTR"),
        ]
        let count = plan.pick(test: 2, quick: 5, full: failures.count)
        let times = plan.pick(test: 1, quick: 1, full: 3)
        return failures.prefix(count).flatMap { call, error in
            (1...times).map { time in
                plan.round("\(call) \(error) \(time)", users: 120) { stage, random in
                    try await Self.fail(call, error, stage, random)
                }
            }
        }
    }

    private static func fail(_ call: String, _ error: String, _ stage: Stage, _ random: SplitMix64) async throws {
        var random = random
        let place = Int(random.next() % 25) + 1
        // Once, or again and again, in each thread.
        let step = random.next() % 2 == 0 ? "" : "+\(30 + random.next() % 50)"
        let process = try stage.service(wrapper: Strace.wrapper(call, "error=\(error):when=\(place)\(step)"))
        try await stage.wait(.seconds(90), for: "the work to be done", every: .milliseconds(100)) {
            if process.exit != nil { return true }
            let isIdle = try await stage.isIdle()
            return isIdle && stage.acceptedCount > 0
        }
        let words = "\(call) \(error) at \(place)\(step)"
        if let exit = process.exit {
            // Only before it is ready may it give up, and in words: systemd starts it again.
            let text = process.errorOutput
            let gaveUp = if case .code(let code) = exit { code >= 64 && !text.contains("ready; a sweep") } else { false }
            if gaveUp { stage.note("\(call) \(error) before ready: exits in words") } else {
                stage.fail("\(words): \(exit): \(text.suffix(1500))")
            }
            try await stage.mourn(process)
        } else {
            try await stage.stop(process)
        }
        // A connection to Apple that broke leaves what was in flight on it unanswered.
        let cuts = max(0, stage.simulator.counts.connections - 1)
        stage.allow { $0.further = cuts * 100 }
    }
}
