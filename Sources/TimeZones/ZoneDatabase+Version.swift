import Glibc

extension ZoneDatabase {
    /// The release of the time zone files.
    public struct Release: Sendable, Equatable {
        /// IANA's name: a year and a letter, `2025b`. Nil if the folder doesn't contain it.
        public let name: String?
        /// When the file with the name was last changed. Without such a file, when the folder was.
        public let modified: Instant?

        /// The year of its name.
        public var year: Int? { name.flatMap { Int($0.prefix(4)) } }

        /// A release with these values.
        public init(name: String?, modified: Instant?) {
            self.name = name
            self.modified = modified
        }
    }

    /// The release that the folder names, in `tzdata.zi` (Debian and others) or in `+VERSION` (the BSDs).
    public var release: Release {
        for file in ["tzdata.zi", "+VERSION"] {
            let path = "\(directory)/\(file)"
            if let head = Self.head(of: path), let name = Self.releaseName(in: head) {
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

    private static func head(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    private static func modified(_ path: String) -> Instant? {
        var facts = stat()
        return stat(path, &facts) == 0 ? Instant(seconds: Int64(facts.st_mtim.tv_sec)) : nil
    }
}
