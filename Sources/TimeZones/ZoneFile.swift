import Glibc

enum ZoneFile {
    /// The largest real file is under 5 KB.
    private static let sizeLimit = 1 << 20

    /// The bytes of a regular file.
    ///
    /// - Throws: `missing`, `malformed` if it is too large, `unreadable` if a later attempt may succeed.
    static func read(_ path: String) throws(TimeZoneError) -> [UInt8] {
        // Without O_NONBLOCK a FIFO with this name would block the caller.
        var descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        while descriptor < 0, errno == EINTR { descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw failure(errno, path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw TimeZoneError(.missing, "\(path): not a regular file") }
        guard status.st_size <= sizeLimit else { throw TimeZoneError(.malformed, "larger than \(sizeLimit) bytes") }
        // One more byte, to notice if the file grew meanwhile.
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: length), $0.count - length)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(errno, path) }
            if count == 0 { break }
            length += count
        }
        guard length < bytes.count else { throw TimeZoneError(.unreadable, "\(path): changes while it is read") }
        bytes.removeLast(bytes.count - length)
        return bytes
    }

    /// The error for a failed call. `missing` only if there certainly is no file. After other errors (EMFILE, ENFILE,
    /// ENOMEM, EIO, EACCES, ELOOP) a later attempt may succeed.
    static func failure(_ number: Int32, _ path: String) -> TimeZoneError {
        let code: TimeZoneError.Code =
            switch number {
            // ENAMETOOLONG: no file can have this name. ENXIO: it is a socket.
            case ENOENT, ENOTDIR, ENAMETOOLONG, ENXIO: .missing
            default: .unreadable
            }
        return TimeZoneError(code, "\(path): \(String(cString: strerror(number)))", number: number)
    }
}
