import Glibc

/// A file could not be read now: no free descriptor, a failing disk, no permission. It may be a valid zone.
public struct TimeZoneError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The cause as text, never the file's bytes.
    public let cause: String
    /// The system's error number. Nil if no system call failed.
    public let number: Int32?

    public init(_ cause: String, number: Int32? = nil) { (self.cause, self.number) = (cause, number) }

    public var description: String { "unreadable: \(cause)" }
}

enum ZoneFile {
    /// A zone's file has under 5 KB, `tzdata.zi` 110 KB.
    private static let sizeLimit = 1 << 20

    /// The bytes of a regular file. Nil: there is none, or it is too large.
    static func read(_ path: String) throws(TimeZoneError) -> [UInt8]? {
        // Without O_NONBLOCK a FIFO with this name would block the caller.
        var descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        while descriptor < 0, errno == EINTR { descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return try absent(errno, path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return try absent(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= sizeLimit else { return nil }
        // One more byte, to notice if the file grew meanwhile.
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: length), $0.count - length)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return try absent(errno, path) }
            if count == 0 { break }
            length += count
        }
        guard length < bytes.count else { throw TimeZoneError("\(path): changes while it is read") }
        bytes.removeLast(bytes.count - length)
        return bytes
    }

    private static func absent(_ number: Int32, _ path: String) throws(TimeZoneError) -> [UInt8]? {
        if let error = failure(number, path) { throw error }
        return nil
    }

    /// The error for a failed call. Nil if there certainly is no file. After other errors (EMFILE, ENFILE, ENOMEM, EIO,
    /// EACCES, ELOOP) a later attempt may succeed.
    static func failure(_ number: Int32, _ path: String) -> TimeZoneError? {
        switch number {
        // ENAMETOOLONG: no file can have this name. ENXIO: it is a socket.
        case ENOENT, ENOTDIR, ENAMETOOLONG, ENXIO: nil
        default: TimeZoneError("\(path): \(String(cString: strerror(number)))", number: number)
        }
    }
}

extension ZoneDatabase {
    public struct Release: Sendable, Equatable {
        /// IANA's name: a year and a letter, `2025b`. Nil if the folder doesn't contain it.
        public let name: String?
        /// When the file with the name was last changed. Without such a file, when the folder was.
        public let modified: Instant?

        public var year: Int? { name.flatMap { Int($0.prefix(4)) } }
    }

    /// The release that the folder names, in `tzdata.zi` (Debian and others) or in `+VERSION` (the BSDs).
    public var release: Release {
        for file in ["tzdata.zi", "+VERSION"] {
            let path = "\(directory)/\(file)"
            guard let bytes = try? ZoneFile.read(path) else { continue }
            if let name = Self.releaseName(in: String(decoding: bytes.prefix(64), as: UTF8.self)) {
                return Release(name: name, modified: Self.modified(path))
            }
        }
        return Release(name: nil, modified: Self.modified(directory))
    }

    /// The first line is `# version 2025b`, or only the name. A packager's suffix after a hyphen is ignored.
    static func releaseName(in head: String) -> String? {
        let line = head.prefix { $0 != "\n" }
        let word = line.hasPrefix("# version ") ? line.dropFirst("# version ".count) : line
        let name = word.prefix { $0 != "-" && $0 != " " }
        let isName =
            (5...6).contains(name.utf8.count) && name.utf8.prefix(4).allSatisfy { (0x30...0x39).contains($0) }
            && name.utf8.dropFirst(4).allSatisfy { (0x61...0x7A).contains($0) }
        return isName ? String(name) : nil
    }

    private static func modified(_ path: String) -> Instant? {
        var facts = stat()
        return stat(path, &facts) == 0 ? Instant(seconds: Int64(facts.st_mtim.tv_sec)) : nil
    }
}
