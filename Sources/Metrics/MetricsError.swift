import Glibc

/// Why metrics can't be served or written, and what to do.
public struct MetricsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable {
        /// The server can't listen on the address.
        case listen
        /// The system has no thread or descriptor left.
        case resources
        /// The file can't be written.
        case file
    }

    /// The kind of failure.
    public let code: Code
    /// The system's error number (errno).
    public let number: Int32
    /// The address or the file's path.
    private let place: String

    init(_ code: Code, _ place: String, _ number: Int32) {
        self.code = code
        self.place = place
        self.number = number
    }

    /// What happened, to what, and what to do.
    public var description: String {
        let cause = String(cString: strerror(number))
        return switch code {
        case .listen:
            "can't listen on \(place) (\(cause)): \(listenRemedy)"
        case .resources:
            "no thread or descriptor is left to listen on \(place) (\(cause)): "
                + "raise LimitNOFILE or TasksMax in the unit"
        case .file:
            "can't write \(place) (\(cause)): "
                + (number == EROFS || number == EACCES || number == EPERM
                    ? "let the service write to its folder, as /usr/share/doc/nudged/examples/metrics-file.conf does"
                    : "check the folder and its disk")
        }
    }

    private var listenRemedy: String {
        switch number {
        case EADDRINUSE: "another program has the port; give metrics.listen another one"
        // bind(2) itself never fails so. SocketBindDeny= of the unit does.
        case EPERM: "allow the port in the unit, as /usr/share/doc/nudged/examples/metrics-listen.conf does"
        default: "correct metrics.listen"
        }
    }
}
