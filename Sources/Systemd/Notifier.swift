import Base
import Glibc

/// Tells systemd the service's state, as sd_notify(3) does: one datagram of `KEY=value` lines to `NOTIFY_SOCKET`.
/// Without the variable every call does nothing. Each call returns within half a second whether the datagram was sent.
package struct Notifier: Sendable {
    private let address: UnixAddress?
    /// How often to call `watchdog()`: half of the time after which systemd ends a silent service (`WatchdogSec=`), as
    /// sd_watchdog_enabled(3) advises. Nil if this process has no watchdog.
    package let watchdogInterval: Duration?

    /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    package init(environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"].flatMap(UnixAddress.init)
        // Child processes inherit the variables, so they count only if the pid is this process's or missing.
        let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
        let span = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = isOurs && span > 0 ? Duration.microseconds(span) / 2 : nil
    }

    /// `READY=1`: start-up or reload is complete. `systemctl status` shows `status`.
    package func ready(status: String? = nil) -> Bool { send(["READY=1"] + Self.line(status)) }

    package func status(_ status: String) -> Bool { send(Self.line(status)) }

    package func watchdog() -> Bool { send(["WATCHDOG=1"]) }

    package func stopping(status: String? = nil) -> Bool { send(["STOPPING=1"] + Self.line(status)) }

    /// With `MONOTONIC_USEC`, which `Type=notify-reload` (systemd 253 and later) needs. `ready()` ends it.
    package func reloading() -> Bool { send(["RELOADING=1", "MONOTONIC_USEC=\(MonotonicTime.microseconds())"]) }

    /// `EXTEND_TIMEOUT_USEC=`: allow `duration` from now for the current start or stop.
    package func extendTimeout(by duration: Duration) -> Bool {
        send(["EXTEND_TIMEOUT_USEC=\(Int64(duration / .microseconds(1)))"])
    }

    /// A status is one line, because a newline in it would start another assignment.
    private static func line(_ status: String?) -> [String] {
        guard let status else { return [] }
        return ["STATUS=" + String(String.UnicodeScalarView(status.unicodeScalars.map { $0.value < 32 ? " " : $0 }))]
    }

    private func send(_ lines: [String]) -> Bool {
        // A socket for each datagram, as in sd_notify: there are few, and nothing stays open.
        guard let address, let socket = DatagramSocket(patience: .milliseconds(500)) else { return false }
        return socket.send(Array(lines.joined(separator: "\n").utf8), to: address) == .sent
    }
}
