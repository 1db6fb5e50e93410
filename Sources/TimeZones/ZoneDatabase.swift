import Glibc
import NudgedPreferences
import Synchronization

/// The system's time zone database: a folder of TZif files, and old names that `tzdata.zi` lists. `reload` reads all of
/// them, so that an upgrade of the `tzdata` package takes effect. Other files are read when a zone is first requested,
/// and kept until the next `reload`.
public final class ZoneDatabase: Sendable {
    public let directory: String

    private struct Cache {
        /// What the last reload has read.
        var read: [String: Zone] = [:]
        /// Other names that were requested since. nil: no zone has it.
        var asked: [String: Zone?] = [:]
        /// Old names (`links()`). Nil: not read since the last reload.
        var links: [String: String]?
        /// Counts reloads. A file that was read before a reload must not be stored after it.
        var generation = 0

        func zone(_ name: String) -> Zone?? { read[name].map { .some($0) } ?? asked[name] }
    }

    private let cache = Mutex(Cache())
    /// Allows one reload at a time, so that the newest one counts.
    private let reloading = Mutex(())

    /// Users write zone names, so the cache is emptied after so many. The whole database has about 600.
    private static let cacheLimit = 2048

    /// - Parameter directory: The folder of the files. Nil: `TZDIR`, else `/usr/share/zoneinfo`.
    public init(directory: String? = nil) {
        let given = directory ?? getenv("TZDIR").map { String(cString: $0) } ?? ""
        self.directory = given.isEmpty ? "/usr/share/zoneinfo" : given
    }

    /// The zone with a valid name, else nil. Valid are the names of UTC, which need no file, and names with a `/` that
    /// have a TZif file or are an old name of one that has (docs/POLICY-SPEC.md, section "Zone").
    ///
    /// - Throws: if the file can't be read now. The next request tries again.
    public func zone(named name: String) throws(TimeZoneError) -> Zone? {
        let (known, generation) = cache.withLock { ($0.zone(name), $0.generation) }
        // Swift compares by canonical equivalence: U+212A KELVIN SIGN would find `Asia/Kolkata`. Its UTF-8 is longer.
        if let known { return known.flatMap { $0.name.utf8.count == name.utf8.count ? $0 : nil } }
        guard ZoneName.isWellFormed(name) else { return nil }
        let zone = try read(name)
        cache.withLock { cache in
            guard cache.generation == generation else { return }
            if cache.asked.count >= Self.cacheLimit { cache.asked.removeAll() }
            cache.asked[name] = .some(zone)
        }
        return zone
    }

    public struct Reading: Sendable {
        public let count: Int
        /// What could not be read. Zones from before stay as they are; others are read when they are requested.
        public let failures: [TimeZoneError]
    }

    /// Reads every file again and forgets other requested zones. Zones in use elsewhere don't change.
    ///
    /// It takes milliseconds and a few megabytes. Afterwards these zones need neither a descriptor nor the disk.
    @discardableResult public func reload() -> Reading {
        reloading.withLock { _ in
            cache.withLock { $0.links = nil }
            let scan = scan()
            return cache.withLock { cache in
                var zones = scan.zones
                for name in Array(cache.read.keys) + Array(cache.asked.keys) where scan.leavesOpen(name) {
                    if zones[name] == nil, let zone = cache.zone(name) { zones[name] = zone }
                }
                cache.read = zones
                cache.asked.removeAll()
                cache.generation += 1
                return Reading(count: zones.count, failures: scan.unread.map(\.error))
            }
        }
    }

    private func read(_ name: String) throws(TimeZoneError) -> Zone? {
        if let zone = try file(name, for: name) { return zone }
        // UTC needs no file.
        if ZoneName.namesOfUTC.contains(name) { return Zone(utc: name) }
        let links = try links()
        var target = name
        for _ in 0..<Self.mostHops {
            guard let next = links[target] else { break }
            if let zone = try file(next, for: name) { return zone }
            target = next
        }
        return nil
    }

    /// The zone of a file, under this name. Nil: there is none, or it is no zone's.
    private func file(_ path: String, for name: String) throws(TimeZoneError) -> Zone? {
        do throws(TimeZoneError) {
            return try ZoneFile.read("\(directory)/\(path)").flatMap { Zone(name: name, parsing: $0) }
        } catch {
            guard ZoneName.namesOfUTC.contains(name) else { throw error }
            return nil
        }
    }
}

extension ZoneDatabase {
    /// Old names of zones (`Asia/Calcutta`) with the names that they stand for, from the lines `L target name` of
    /// `tzdata.zi`, which is read once after each reload. Few hosts have the package with the files of these names, but
    /// PostgreSQL knows them.
    ///
    /// - Throws: if the file is there and can't be read now.
    private func links() throws(TimeZoneError) -> [String: String] {
        if let known = cache.withLock(\.links) { return known }
        let bytes = try ZoneFile.read("\(directory)/tzdata.zi") ?? []
        var links: [String: String] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "L") {
            guard links.count < Self.mostLinks else { break }
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 3, words[0] == "L", ZoneName.isWellFormed(words[1]), ZoneName.isWellFormed(words[2])
            else { continue }
            links[words[2]] = words[1]
        }
        cache.withLock { [links] in $0.links = links }
        return links
    }

    /// The real file has some 250.
    private static let mostLinks = 4_096
    /// A link may stand for another link.
    private static let mostHops = 4

    private struct Scan {
        var zones: [String: Zone] = [:]
        /// The files and folders that could not be read now, each with its error. The whole folder has an empty name.
        var unread: [(name: String, error: TimeZoneError)] = []

        /// Whether the zone with this name may be in what could not be read.
        func leavesOpen(_ name: String) -> Bool {
            unread.contains { $0.name.isEmpty || $0.name == name || name.hasPrefix("\($0.name)/") }
        }
    }

    /// Every valid name on disk, sorted. Reads every file, so it is for tests and tools.
    public var names: [String] { scan().zones.keys.sorted() }

    private func scan() -> Scan {
        var scan = Scan()
        collect(in: "", depth: 0, into: &scan)
        do throws(TimeZoneError) {
            for name in try links().keys where scan.zones[name] == nil {
                if let zone = try read(name) { scan.zones[name] = zone }
            }
        } catch {
            // Any old name may be in it.
            if !scan.unread.contains(where: \.name.isEmpty) { scan.unread.append(("", error)) }
        }
        return scan
    }

    /// The real database has folders at most three deep. The limit ends a loop of links.
    private func collect(in folder: String, depth: Int, into scan: inout Scan) {
        guard depth < 5 else { return }
        for entry in entries(of: folder, &scan) {
            let name = folder.isEmpty ? entry : "\(folder)/\(entry)"
            do throws(TimeZoneError) {
                if ZoneName.isWellFormed(name), let zone = try read(name) {
                    scan.zones[name] = zone
                } else if ZoneName.isWellFormed("\(name)/x") {
                    collect(in: name, depth: depth + 1, into: &scan)
                }
            } catch { scan.unread.append((name, error)) }
        }
    }

    /// The names in a folder. Empty if there is no such folder.
    private func entries(of name: String, _ scan: inout Scan) -> [String] {
        let path = "\(directory)/\(name)"
        func note(_ number: Int32) {
            if let error = ZoneFile.failure(number, path) { scan.unread.append((name, error)) }
        }
        guard let folder = opendir(path) else {
            note(errno)
            return []
        }
        defer { closedir(folder) }
        var entries: [String] = []
        while true {
            // readdir returns nil both at the end and on failure. Only errno tells which.
            errno = 0
            guard let entry = readdir(folder) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { entries.append(name) }
        }
        if errno != 0 { note(errno) }
        return entries
    }
}

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
