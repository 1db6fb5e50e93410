import Glibc
import Synchronization

/// The system's time zone database: a folder of TZif files, and old names that `tzdata.zi` lists. `reload` reads all of them. Other files are read when a
/// zone is first requested, and kept until the next `reload`.
///
/// The files on disk decide, so an upgrade of the `tzdata` package takes effect after a reload.
public final class ZoneDatabase: Sendable {
    /// The path of the folder.
    public let directory: String

    enum Entry {
        case zone(Zone)
        case missing
    }

    private struct Cache {
        /// What the last reload has read.
        var read: [String: Zone] = [:]
        /// Other zones that were requested since.
        var asked: [String: Entry] = [:]
        /// Old names (`links(in:)`). Nil: not read since the last reload.
        var links: [String: String]?
        /// Counts reloads. A file that was read before a reload must not be stored after it.
        var generation = 0

        func entry(_ name: String) -> Entry? { read[name].map { .zone($0) } ?? asked[name] }

        func zone(_ name: String) -> Zone? {
            if case .zone(let zone)? = entry(name) { return zone }
            return nil
        }
    }

    private let cache = Mutex(Cache())
    /// Allows one reload at a time, so that the newest one counts.
    private let reloading = Mutex(())

    /// Users write zone names, so the cache is emptied after this many different ones. The whole database has about
    /// 600.
    private static let cacheLimit = 2048

    /// - Parameter directory: The folder of the files. Nil: `TZDIR`, else `/usr/share/zoneinfo`.
    public init(directory: String? = nil) {
        if let directory {
            self.directory = directory
        } else if let found = getenv("TZDIR"), found.pointee != 0 {
            self.directory = String(cString: found)
        } else {
            self.directory = "/usr/share/zoneinfo"
        }
    }

    /// The names of UTC without a `/`. They are valid even without a file.
    package static let namesOfUTC: Set<String> = ["UTC", "GMT", "UCT", "Universal", "Zulu", "Greenwich"]

    /// The zone with a valid name, else nil. Valid are the names of UTC and names with a `/` that have a TZif file
    /// or are an old name of one
    /// that has (docs/POLICY.md, section "Zone").
    ///
    /// - Throws: `unreadable` if the file can't be read now. The next request tries again.
    public func zone(named name: String) throws(TimeZoneError) -> Zone? {
        let (known, generation) = cache.withLock { ($0.entry(name), $0.generation) }
        switch known {
        // Swift compares strings by canonical equivalence, so U+212A KELVIN SIGN would find `Asia/Kolkata`. Its UTF-8
        // is longer.
        case .zone(let zone)?: return zone.name.utf8.count == name.utf8.count ? zone : nil
        case .missing?: return nil
        case nil: break
        }
        guard Self.isWellFormed(name) else { return nil }
        let entry = try read(name)
        cache.withLock { cache in
            guard cache.generation == generation else { return }
            if cache.asked.count >= Self.cacheLimit { cache.asked.removeAll() }
            cache.asked[name] = entry
        }
        guard case .zone(let zone) = entry else { return nil }
        return zone
    }

    /// The result of a reload.
    public struct Reading: Sendable {
        /// How many zones are known now.
        public let count: Int
        /// What could not be read. Zones that were read before stay as they are. Others are read when they are
        /// requested.
        public let failures: [TimeZoneError]
    }

    /// Reads every file again and forgets other requested zones. Zones in use elsewhere don't change.
    ///
    /// The real database needs milliseconds and a few megabytes. Afterwards its zones need neither a descriptor nor the
    /// disk.
    @discardableResult public func reload() -> Reading {
        reloading.withLock { _ in
            cache.withLock { $0.links = nil }
            let scan = scan()
            return cache.withLock { cache in
                var zones = scan.zones
                if !scan.unread.isEmpty {
                    for name in Array(cache.read.keys) + Array(cache.asked.keys) where scan.leavesOpen(name) {
                        if zones[name] == nil { zones[name] = cache.zone(name) }
                    }
                }
                cache.read = zones
                cache.asked.removeAll()
                cache.generation += 1
                return Reading(count: zones.count, failures: scan.unread.map(\.error))
            }
        }
    }

    func read(_ name: String) throws(TimeZoneError) -> Entry {
        if let zone = try file(name, for: name) { return .zone(zone) }
        // UTC needs no file.
        if Self.namesOfUTC.contains(name) { return .zone(Zone(utc: name)) }
        let links = try links()
        var target = name
        for _ in 0..<Self.mostHops {
            guard let next = links[target] else { break }
            if let zone = try file(next, for: name) { return .zone(zone) }
            target = next
        }
        return .missing
    }

    /// The zone of a file, under this name. Nil: there is none, or it is no zone's.
    private func file(_ path: String, for name: String) throws(TimeZoneError) -> Zone? {
        do throws(TimeZoneError) {
            return try Zone(name: name, parsing: try ZoneFile.read("\(directory)/\(path)"))
        } catch {
            guard error.code != .unreadable || Self.namesOfUTC.contains(name) else { throw error }
            return nil
        }
    }

    /// Old names, as read since the last reload.
    func links() throws(TimeZoneError) -> [String: String] {
        if let known = cache.withLock(\.links) { return known }
        let read = try Self.links(in: directory)
        cache.withLock { $0.links = read }
        return read
    }

    /// Whether a name may be looked up: ASCII parts between single slashes that never leave the folder.
    static func isWellFormed(_ name: String) -> Bool {
        if let known = Self.namesOfUTC.first(where: { $0 == name }) { return known.utf8.count == name.utf8.count }
        guard name.utf8.count <= 255 else { return false }
        var parts = 0
        for part in name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy(isNamed) else { return false }
            if parts == 0, part.elementsEqual("posix".utf8) || part.elementsEqual("right".utf8) { return false }
            parts += 1
        }
        return parts >= 2
    }

    /// `[A-Za-z0-9_+-]`. Without a dot there can be no `.` or `..` part.
    private static func isNamed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
