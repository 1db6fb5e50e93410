import Core
import Glibc
import LocalPostgres

extension Fault {
    static let failPoints = Fault(name: "kill-at-fail-points") { plan in
        let all = plan.rounds(of: FailPoint.allCases, full: 4, users: 120, name: \.rawValue) {
            try await killTwice($0, at: $1)
        }
        return plan.some(all, quick: 9)
    }

    /// Two kills at one fail point, each at a random visit.
    private static func killTwice(_ stage: Stage, at point: FailPoint) async throws {
        try await prepare(stage, for: point)
        var kills = 0
        for time in 1...2 {
            // The first visit is certain. Later the work may be done before.
            let visit = time == 1 ? 1 : stage.draw(4) + 1
            let process = try stage.startOnce(["NUDGED_FAIL_POINT": "\(point.name):kill:\(visit)"])
            try await stage.mourn(process)
            if process.exit == .signal(SIGKILL) { kills += 1 }
        }
        if kills == 0 { stage.fail("\(point.name) was never reached") }
        try await stage.relent("nudged.intent")
    }

    private static func prepare(_ stage: Stage, for point: FailPoint) async throws {
        let person = stage.population.people[0].id
        switch point {
        case .afterRecover, .afterDeath:
            // A dead daemon with open intents.
            try await stage.mourn(try stage.startOnce(["NUDGED_FAIL_POINT": "after_intent:kill:2"]))
        case .beforeWithdrawal, .afterWithdrawal:
            try await stage.refuse("nudged.intent", on: "insert", state: "40001", share: 33)
        case .afterFanOut:
            // A reminder for everyone who shares a subject, which nobody does.
            let reminder = "'task', '1', 'Now', '', due_at => now(), audience => 'everyone'"
            try await stage.sql("select nudged_api.set_reminder('\(person)', \(reminder))")
        case .beforeSetAside:
            try await stage.sql(
                """
                insert into nudged.person (user_id, due_at, since) values ('\(person)', now(), '294270-01-01')
                on conflict (user_id) do update set since = excluded.since
                """
            )
            stage.allow { $0.changed.insert(person) }
        default: break
        }
    }

    static let randomKills = Fault(name: "kill-at-random-moments") { plan in
        // Few pushes in flight and slow answers, so that the work lasts longer than the kills.
        let scenery = Scenery(answers: 20...200, inFlight: 30, batch: 40)
        return plan.rounds(quick: 2, full: 40, users: 400, scenery: scenery) { stage in
            for _ in 1...plan.pick(quick: 4, full: 5) {
                let process = try stage.service()
                // A random moment after its start or during its work. There is no signal to wait for.
                let isWorking = stage.draw(2) == 0
                if isWorking { try await stage.awaitAccepted(stage.taken.count + 1 + stage.draw(40), by: process) }
                try await Task.sleep(for: .milliseconds(stage.draw(isWorking ? 100 : 1500)))
                try await stage.kill(process)
            }
            let process = try stage.service()
            try await stage.recover(process)
        }
    }

    static let systemCallErrors = Fault(name: "system-call-fails", obstacle: Strace.obstacle) { plan in
        let failures = [
            ("recvfrom", "ECONNRESET"), ("sendto", "EPIPE"), ("write", "ENOSPC"), ("poll", "EINTR"),
            ("connect", "ETIMEDOUT"), ("socket", "EMFILE"), ("write", "EINTR"), ("recvfrom", "EINTR"),
            ("sendto", "EINTR"), ("sendto", "ENOBUFS"), ("recvfrom", "ETIMEDOUT"), ("connect", "ENETUNREACH"),
            ("eventfd2", "EMFILE"), ("openat", "EMFILE"), ("read", "EINTR"), ("epoll_wait", "EINTR"),
            ("getrandom", "EINTR"), ("poll", "ENOMEM"), ("mmap", "EAGAIN"),
        ]
        var scenery = Strace.scenery
        // What a failing call did not write gets no answer. Only a time-out ends that wait.
        scenery.environment["APNS_RESPONSE_TIMEOUT"] = "5s"
        scenery.environment["DATABASE_STATEMENT_TIMEOUT"] = "10s"
        let some = failures.prefix(plan.pick(quick: 5, full: failures.count))
        return plan.rounds(of: some, full: 2, users: 250, scenery: scenery, name: { "\($0.0) \($0.1)" }) {
            try await fail($1.0, $1.1, $0)
        }
    }

    private static func fail(_ call: String, _ error: String, _ stage: Stage) async throws {
        let process = try await stage.service(accepting: 10)
        let step = stage.draw(20) + 2
        let injection = "error=\(error):when=\(stage.draw(10) + 1)+\(step)"
        let tracer = try Strace.attach(process, call, injection)
        // These calls happen only when a connection is opened, so the connections are cut.
        if ["connect", "socket", "eventfd2", "openat"].contains(call) {
            try await stage.endSessions()
            stage.simulator.perform(.resetTCP)
        }
        try await Task.sleep(for: .seconds(2))
        _ = try await onOwnThread { tracer.end() }
        let end = Moment.now
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
        try await stage.recover(process, since: end, within: .seconds(30))
    }

    /// The process is killed when it enters its K-th call of one kind, during its start and during its work.
    static let systemCallKills = Fault(name: "kill-at-system-calls", obstacle: Strace.obstacle) { plan in
        // The calls for sockets, waiting, waking and memory.
        let calls = [
            "sendto", "recvfrom", "poll", "write", "futex", "read", "epoll_wait", "openat", "close", "mmap", "connect",
            "socket",
        ]
        let some = calls.prefix(plan.pick(quick: 5, full: calls.count))
        return plan.rounds(of: some, full: 5, users: 150, scenery: Strace.scenery) { stage, call in
            let working = try stage.service()
            try await stage.awaitAccepted(stage.taken.count + 5 + stage.draw(40), by: working)
            let tracer = try Strace.attach(working, call, "signal=SIGKILL:when=\(stage.draw(60) + 1)")
            // Some calls are rare by now. Then it is killed after three seconds.
            _ = try await onOwnThread { working.wait(.seconds(3)) }
            try await stage.kill(working)
            _ = try await onOwnThread { tracer.end() }
            // Smaller numbers are more likely.
            let place = stage.draw([4, 20, 60, 150][stage.draw(4)]) + 1
            let starting = try stage.startOnce(wrapper: Strace.wrapper(call, "signal=SIGKILL:when=\(place)"))
            try await stage.mourn(starting)
            if starting.exit != .signal(SIGKILL), starting.exit != .code(0) {
                let (exit, text) = (String(describing: starting.exit), starting.errorOutput.suffix(1000))
                stage.fail("\(call) \(place): \(exit): \(text)")
            }
        }
    }
}

enum Strace {
    static let path = "/usr/bin/strace"

    static let obstacle: @Sendable () -> String? = {
        if access(path, X_OK) != 0 { return "strace is not installed (scripts/dependencies)" }
        return geteuid() != 0 ? "only root may trace nudged, which is not dumpable" : nil
    }

    /// The command before the program. With `-D` the process is the daemon itself. Each thread counts its calls.
    static func wrapper(_ call: String, _ injection: String) -> [String] {
        [path, "-D", "--seccomp-bpf"] + options(call, injection)
    }

    /// Makes calls of a running daemon fail until the returned process is ended. Each thread counts from 1.
    static func attach(_ process: ChildProcess, _ call: String, _ injection: String) throws -> ChildProcess {
        let command = [path, "-p", "\(process.id)"] + options(call, injection)
        return try ChildProcess(command, output: .null, error: .captured)
    }

    private static func options(_ call: String, _ injection: String) -> [String] {
        ["-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):\(injection)"]
    }

    /// Few pushes in flight and slow answers, so that the work takes seconds.
    static let scenery = Scenery(answers: 20...120, inFlight: 12, batch: 30)
}
