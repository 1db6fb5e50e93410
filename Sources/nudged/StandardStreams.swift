import Glibc

/// Descriptors 0, 1 and 2 of a process that was started without them.
enum StandardStreams {
    /// Takes the free ones: else the first socket to PostgreSQL or Apple would be number 2, and log lines would be written into it. Opened for
    /// reading, so that a write fails and the line is counted as lost.
    static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest free number is given: this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}
