import Glibc

/// Descriptors 0, 1 and 2 of a process that was started without them.
enum StandardStreams {
    /// Opens /dev/null for each one that is missing. Else the first socket to PostgreSQL or Apple would be number 2,
    /// and log lines would go into it. Opened for reading, so that a write fails and the line is counted as lost.
    static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // open(2) returns the lowest free number, which is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}
