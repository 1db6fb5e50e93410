import Glibc

extension ZoneDatabase {
    /// Which release of the time-zone database the files are of.
    public struct Release: Sendable, Equatable {
        /// As IANA names it: a year and a letter, `2025b`. Nil where the folder does not say.
        public let name: String?
        /// When the file that says so, else the folder, was last changed.
        public let modified: Instant?

        /// The year of its name.
        public var year: Int? { name.flatMap { Int($0.prefix(4)) } }

        /// All parts.
        public init(name: String?, modified: Instant?) {
            self.name = name
            self.modified = modified
        }
    }

    /// What the folder says of itself: in `tzdata.zi`, which Debian and others install, or `+VERSION`, as the BSDs do.
    public var release: Release {
        for file in ["tzdata.zi", "+VERSION"] {
            let path = "\(directory)/\(file)"
            if let head = Self.head(of: path), let name = Self.releaseName(in: head) {
                return Release(name: name, modified: Self.modified(path))
            }
        }
        return Release(name: nil, modified: Self.modified(directory))
    }

    /// The first line is `# version 2025b`, or the name alone; what a packager adds after a hyphen is left out.
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
