import Glibc

/// Why metrics can't be shown, with the mend.
public struct MetricsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable {
        /// The address can't be listened on.
        case listen
        /// The system has no thread or descriptor left.
        case resources
        /// The file can't be written.
        case file
    }

    /// What kind it is.
    public let code: Code
    /// The system's error number.
    public let number: Int32
    /// The address or the file.
    private let place: String

    init(_ code: Code, _ place: String, _ number: Int32) {
        self.code = code
        self.place = place
        self.number = number
    }

    /// In words.
    public var description: String {
        let cause = String(cString: strerror(number))
        return switch code {
        case .listen:
            "can't listen on \(place) (\(cause)): "
                + (number == EADDRINUSE
                    ? "another program has the port; give metrics.listen another one" : "mend metrics.listen")
        case .resources: "nothing is left to listen on \(place) (\(cause)): raise LimitNOFILE or TasksMax in the unit"
        case .file:
            "can't write \(place) (\(cause)): "
                + (number == EROFS || number == EACCES || number == EPERM
                    ? "let the service write to its folder, as the example metrics-file.conf does (/usr/share/doc/nudged/examples)"
                    : "look at the folder and its disk")
        }
    }
}
