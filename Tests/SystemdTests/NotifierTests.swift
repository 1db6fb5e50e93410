import Glibc
import Testing

@testable import Systemd

@Suite struct NotifierTests {
    @Test func ready_whenASocketListens() throws {
        let systemd = try TestReceiver()
        let notifier = Notifier(environment: ["NOTIFY_SOCKET": systemd.path])
        #expect(notifier.ready(status: "waits for the database"))
        #expect(systemd.text() == "READY=1\nSTATUS=waits for the database")
        #expect(notifier.watchdog() && systemd.text() == "WATCHDOG=1")
        #expect(notifier.stopping() && systemd.text() == "STOPPING=1")
        #expect(notifier.extendTimeout(by: .milliseconds(2500)) && systemd.text() == "EXTEND_TIMEOUT_USEC=2500000")
    }

    @Test func reloading_carriesTheMonotonicClock() throws {
        let systemd = try TestReceiver()
        var before = timespec()
        clock_gettime(CLOCK_MONOTONIC, &before)
        #expect(Notifier(environment: ["NOTIFY_SOCKET": systemd.path]).reloading())
        let lines = try #require(systemd.text()).split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        let stamp = try #require(lines.last.flatMap { Int($0.dropFirst("MONOTONIC_USEC=".count)) })
        #expect(stamp >= before.tv_sec * 1_000_000 + before.tv_nsec / 1000)
        #expect(stamp < (before.tv_sec + 60) * 1_000_000)
    }

    @Test func status_whenItHoldsANewline() throws {
        let systemd = try TestReceiver()
        #expect(Notifier(environment: ["NOTIFY_SOCKET": systemd.path]).status("one\nREADY=1"))
        #expect(systemd.text() == "STATUS=one READY=1")
    }

    @Test func status_whenTheSocketIsAbstract() throws {
        let name = "nudged-test-\(getpid())"
        let systemd = try TestReceiver(abstractName: name)
        // The kernel's own list, since the receiver is bound by the code under test: no zero at the end may be part of the name.
        let file = open("/proc/net/unix", O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var count = 0
        while case let got = bytes.withUnsafeMutableBytes({
            read(file, $0.baseAddress.map { $0 + count }, $0.count - count)
        }), got > 0 {
            count += got
        }
        let listed = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").contains {
            $0.hasSuffix(" @\(name)")
        }
        #expect(listed && Notifier(environment: ["NOTIFY_SOCKET": systemd.path]).status("here"))
        #expect(systemd.text() == "STATUS=here")
    }

    @Test(arguments: [
        [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": "/nonexistent/socket"],
        ["NOTIFY_SOCKET": "@"],
        ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)], ["NOTIFY_SOCKET": "vsock:2:1"],
    ]) func anything_whenNobodyListens(environment: [String: String]) {
        let notifier = Notifier(environment: environment)
        #expect(!notifier.ready(status: "x") && !notifier.watchdog())
    }

    @Test func status_whenTheQueueIsFullGivesUp() throws {
        let systemd = try TestReceiver()
        let notifier = Notifier(environment: ["NOTIFY_SOCKET": systemd.path])
        // Nobody reads: the queue holds net.unix.max_dgram_qlen datagrams, and then the send must come back.
        var sent = 0
        while sent < 100_000, notifier.watchdog() { sent += 1 }
        #expect(sent < 100_000)
    }

    @Test func watchdog_whenItIsForThisProcess() {
        #expect(Notifier(environment: ["WATCHDOG_USEC": "30000000"]).watchdogInterval == .seconds(15))
        let found = Notifier(environment: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"]).watchdogInterval
        #expect(found == .seconds(15))
        #expect(Notifier(environment: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]).watchdogInterval == nil)
        #expect(Notifier(environment: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"]).watchdogInterval == nil)
        #expect(Notifier(environment: ["WATCHDOG_USEC": "0"]).watchdogInterval == nil)
        #expect(Notifier(environment: [:]).watchdogInterval == nil)
    }
}
