import Glibc

/// Tells systemd how the service is, by the protocol of sd_notify(3): one datagram of `KEY=value` lines to `NOTIFY_SOCKET`.
///
/// Without the variable every call does nothing. No call fails, traps, or waits longer than half a second; each answers whether
/// the datagram was handed over.
public struct Notifier: Sendable {
    /// Where systemd listens, nil where nobody does.
    private let address: UnixAddress?
    /// The time after which systemd ends a service that has said nothing (`WatchdogSec=`), nil where there is no watchdog for this process.
    public let watchdogTimeout: Duration?

    /// How often to call `watchdog()`: half of the timeout, as sd_watchdog_enabled(3) advises. Nil where there is no watchdog.
    public var watchdogInterval: Duration? { watchdogTimeout.map { $0 / 2 } }

    /// Whether anybody listens.
    public var isActive: Bool { address != nil }

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are read; see `ProcessEnvironment.current()`.
    ///   - processID: which `WATCHDOG_PID` must name where it is set; nil for this process.
    public init(environment: [String: String], processID: Int32? = nil) {
        address = environment["NOTIFY_SOCKET"].flatMap(UnixAddress.init)
        watchdogTimeout = Self.timeout(environment, processID ?? getpid())
    }

    private static func timeout(_ environment: [String: String], _ processID: Int32) -> Duration? {
        // The variables are inherited by children, so they count only where the pid is ours or absent.
        if let owner = environment["WATCHDOG_PID"], Int32(owner) != processID { return nil }
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        return .microseconds(microseconds)
    }

    /// `READY=1`: start-up or reload is over. `status` is shown by `systemctl status`.
    @discardableResult
    public func ready(status: String? = nil) -> Bool {
        send(["READY=1"] + Self.line(status))
    }

    /// `STATUS=`: one line in words, for `systemctl status`.
    @discardableResult
    public func status(_ status: String) -> Bool {
        send(Self.line(status))
    }

    /// `WATCHDOG=1`: the service makes progress.
    @discardableResult
    public func watchdog() -> Bool {
        send(["WATCHDOG=1"])
    }

    /// `STOPPING=1`: the service goes down.
    @discardableResult
    public func stopping(status: String? = nil) -> Bool {
        send(["STOPPING=1"] + Self.line(status))
    }

    /// `RELOADING=1` with `MONOTONIC_USEC`, which `Type=notify-reload` (systemd 253 and later) needs. `ready()` ends it.
    @discardableResult
    public func reloading() -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        return send(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"])
    }

    /// `EXTEND_TIMEOUT_USEC=`: allow `duration` from now for the start or stop that is under way.
    @discardableResult
    public func extendTimeout(by duration: Duration) -> Bool {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0, seconds < 1_000_000_000 else { return false }
        return send(["EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)"])
    }

    /// A status is one line: a newline in it would start another assignment.
    private static func line(_ status: String?) -> [String] {
        guard let status else { return [] }
        return ["STATUS=" + String(String.UnicodeScalarView(status.unicodeScalars.map { $0.value < 32 ? " " : $0 }))]
    }

    private func send(_ lines: [String]) -> Bool {
        // A socket per datagram, as sd_notify does: they are few, and nothing stays open.
        guard let address, let socket = DatagramSocket(patience: .milliseconds(500)) else { return false }
        return socket.send(Array(lines.joined(separator: "\n").utf8), to: address) == .sent
    }
}
