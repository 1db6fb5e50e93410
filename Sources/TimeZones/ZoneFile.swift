import Glibc

/// Reads a zone's file off the disk.
enum ZoneFile {
    /// The largest real file is under 5 KB.
    private static let sizeLimit = 1 << 20

    /// The bytes of a regular file.
    static func read(_ path: String) throws(TimeZoneError) -> [UInt8] {
        // Without O_NONBLOCK a FIFO of that name would hang the caller.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw TimeZoneError(.unreadable, "errno \(errno)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw TimeZoneError(.unreadable, "no regular file")
        }
        guard status.st_size <= sizeLimit else { throw TimeZoneError(.malformed, "larger than \(sizeLimit) bytes") }
        // One byte more, so that a file that grew meanwhile is seen.
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: length), $0.count - length)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw TimeZoneError(.unreadable, "errno \(errno)") }
            if count == 0 { break }
            length += count
        }
        guard length < bytes.count else { throw TimeZoneError(.malformed, "the file changes while it is read") }
        bytes.removeLast(bytes.count - length)
        return bytes
    }
}
