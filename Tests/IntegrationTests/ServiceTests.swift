import APNsSimulator
import Glibc
import LocalPostgres
import Synchronization
import TestSupport
import Testing

/// The long-running service as systemd runs it.
@Suite(.ownThreads) struct ServiceTests {
    @Test func stop_whenPushesAreInFlight_drainsAndEndsWellAndFreesTheRest() async throws {
        let trigger = SignalTrigger(SIGTERM, atRequest: 80)
        let scene = try await Scene(perDevice: { _, _ in
            trigger.request()
            return .delay(.milliseconds(150), then: .accept)
        })
        try scene.seedDue(600)
        let process = try scene.startFast(["APNS_MAX_IN_FLIGHT": "50", "SCHEDULE_BATCH": "200"])
        trigger.arm(process)
        try await scene.finish(process).ends()
        let accepted = scene.accepted()
        #expect(accepted.count < 600 && accepted.values.allSatisfy { $0 == 1 })
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "\(accepted.count)")
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome <> 'accepted'") == "0")
        #expect(try scene.sql("select count(*) from nudged.intent where user_ids <> '{}'") == "0")
        // At once, without waiting for a lease.
        #expect(try scene.sql("select count(*) from nudged.member") == "0")
        #expect(try await scene.once().number("sent") == 600 - accepted.count)
        #expect(scene.accepted().count == 600)
    }

    @Test func reloadCommand_whenTheFileIsBadOrGood_endsWithTheDaemonsWord() async throws {
        let scene = try await Scene()
        let place: [String: String?] = ["RUNTIME_DIRECTORY": scene.folder]
        scene.write("policy:\n  maxPerDay: 1\n", to: "nudged.yaml")
        let process = try scene.startFast(place, with: "--config", "\(scene.folder)/nudged.yaml")
        #expect(process.waitForOutput(.seconds(20)) { $0.contains("ready") })
        #expect(try await scene.nudged(["reload"], place).exit == .code(0))
        scene.write("policy:\n  maxPerDai: 2\n", to: "nudged.yaml")
        try await scene.nudged(["reload"], place).ends(78, errors: "nudged.yaml:2")
        #expect(process.exit == nil)
        // A good one that others can write is refused too.
        scene.write("policy:\n  maxPerDay: 3\n", to: "nudged.yaml", mode: 0o662)
        try await scene.nudged(["reload"], place).ends(78, errors: "(mode 0662): check its content, then chmod go-w /")
        #expect(process.exit == nil)
        scene.write("policy:\n  maxPerDay: 2\n", to: "nudged.yaml")
        // Side by side: each waits for a reload that began after it asked.
        async let first = scene.nudged(["reload"], place)
        async let second = scene.nudged(["reload"], place)
        let both = try await [first.exit, second.exit]
        #expect(both == [.code(0), .code(0)])
        // One that hangs is not waited for for ever, and one that ends meanwhile is said to have.
        process.signal(SIGSTOP)
        let asking = try scene.start(["reload"], place)
        #expect(await eventually { Self.awaits(SIGHUP, process) || asking.exit != nil })
        process.signal(SIGKILL)
        try await scene.finish(asking).ends(69, errors: "ended before it answered")
        _ = try await scene.finish(process)
        try await scene.nudged(["reload"], place).ends(69, errors: "no nudged runs here")
    }

    /// A restart doesn't help against a database that is away, so the probe of a container must not ask for one.
    @Test func health_whenTheDatabaseIsAway_isGood_andWhenNobodyRuns_isBad() async throws {
        let scene = try await Scene()
        let place: [String: String?] = ["RUNTIME_DIRECTORY": scene.folder]
        let health = ["status", "--health"]
        let away: [String: String?] = ["DATABASE_URL": "postgresql://nobody@127.0.0.1:1/app"]
        let process = try scene.startFast(away.merging(place) { $1 })
        #expect(process.waitForOutput(.seconds(60)) { $0.contains("connecting failed") })
        // It needs no configuration.
        let without = scene.environment().mapValues { _ in String?.none }.merging(place) { $1 }
        let good = try await scene.nudged(health, without)
        #expect(good.exit == .code(0) && good.output == "process \(process.id) is alive\n", "\(good.text)")
        try await scene.stop(process)
        try await scene.nudged(health, without).ends(69, errors: "no nudged runs here")
        for wrong in [health + ["--json"], health + ["--config", "x"]] {
            #expect(try await scene.nudged(wrong).exit == .code(64))
        }
        // A daemon that commands can't find says so, and works.
        let lost = try scene.startFast(["RUNTIME_DIRECTORY": "/nonexistent"])
        #expect(lost.waitForOutput(.seconds(60)) { $0.contains("/nonexistent/daemon.lock can't be locked") })
        try scene.seedDue(1)
        #expect(await scene.simulator.waitUntil(accepted: 1))
        try await scene.stop(lost)
    }

    /// Whether a signal waits for a stopped process: the bit of its number in `ShdPnd` (proc(5)).
    private static func awaits(_ signal: Int32, _ process: ChildProcess) -> Bool {
        guard let bits = process.status("ShdPnd").flatMap({ UInt64($0, radix: 16) }) else { return false }
        return bits & (1 << UInt64(signal - 1)) != 0
    }

    @Test func stop_whenAnswersAreSlow_asksSystemdForTimeWhileTheyResolve() async throws {
        let trigger = SignalTrigger(SIGTERM, atRequest: 1)
        let scene = try await Scene(perDevice: { _, _ in
            trigger.request()
            return .delay(.seconds(8), then: .accept)
        })
        try scene.seedDue(1)
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.startFast(["NOTIFY_SOCKET": socket.path])
        trigger.arm(process)
        #expect(socket.wait { $0.contains("STOPPING=1") } != nil)
        for _ in 0..<3 { #expect(socket.wait(5) { $0 == "EXTEND_TIMEOUT_USEC=5000000" } != nil) }
        #expect(try await scene.finish(process).exit == .code(0))
        #expect(try scene.sql("select outcome from nudged.delivery") == "accepted")
    }

    @Test func service_whenPostgreSQLAndAppleCome_beginsToWork() async throws {
        let cluster = try LocalCluster(LocalCluster.Options(password: Scene.password))
        let scene = try await Scene(cluster: cluster, starts: false)
        try scene.seedDue(5)
        // Not as a crash: this cluster commits without waiting for the disk.
        cluster.halt(.fast)
        let socket = NotifySocket(scene.folder + "/notify")
        let process = try scene.startFast(["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "2000000"])
        #expect(socket.wait { $0.contains("READY=1") } != nil)
        #expect(socket.wait { $0.contains("STATUS=") && $0.contains("waiting for PostgreSQL") } != nil)
        #expect(socket.wait { $0.contains("WATCHDOG=1") } != nil)
        try cluster.start()
        try scene.simulator.start()
        #expect(await scene.simulator.waitUntil(accepted: 5))
        #expect(socket.wait { $0.contains("STATUS=") && $0.contains("last sweep: sent") } != nil)
        process.signal(SIGTERM)
        #expect(socket.wait { $0.contains("STOPPING=1") } != nil)
        let run = try await scene.finish(process).ends()
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "5", "\(run.text)")
        scene.simulator.stop()
        cluster.stop()
    }
}

/// A datagram socket in place of systemd's.
final class NotifySocket: Sendable {
    let path: String
    private let descriptor: Int32

    init(_ path: String) {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    deinit { close(descriptor) }

    /// Reads datagrams until one satisfies the condition; nil where none came within the seconds.
    func wait(_ seconds: Int = 120, where condition: (String) -> Bool) -> String? {
        let limit = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < limit {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 200) == 1 else { continue }
            var bytes = [UInt8](repeating: 0, count: 8192)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
            if condition(text) { return text }
        }
        return nil
    }
}

/// Signals a process at the simulated Apple's N-th request, from the server's own thread: in mid-flight, however busy the tests are.
final class SignalTrigger: Sendable {
    private let signal: Int32
    private let limit: Int
    private let state = Mutex<(count: Int, process: ChildProcess?)>((0, nil))

    init(_ signal: Int32, atRequest limit: Int) {
        self.signal = signal
        self.limit = limit
    }

    /// The process that is meant; signalled at once where the request has come already.
    func arm(_ process: ChildProcess) {
        let isLate = state.withLock { state in
            state.process = process
            return state.count >= limit
        }
        if isLate { process.signal(signal) }
    }

    /// A request has come.
    func request() {
        let process = state.withLock { state in
            state.count += 1
            return state.count == limit ? state.process : nil
        }
        process?.signal(signal)
    }
}
