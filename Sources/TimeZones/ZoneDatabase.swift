import Glibc
import Synchronization

/// The system's time-zone database: a folder of TZif files, read as a whole by `reload`, else one by one when a zone is first asked for, and kept until
/// the next `reload`.
///
/// What lies on disk is the authority, so an upgrade of the `tzdata` package counts after a reload.
public final class ZoneDatabase: Sendable {
    /// The folder.
    public let directory: String

    enum Entry {
        case zone(Zone)
        case missing
    }

    private struct Cache {
        /// What the last reload read.
        var read: [String: Zone] = [:]
        /// What else was asked for.
        var asked: [String: Entry] = [:]
        /// Counts reloads: a file that was read before one must not be kept after it.
        var generation = 0

        func entry(_ name: String) -> Entry? { read[name].map { .zone($0) } ?? asked[name] }

        func zone(_ name: String) -> Zone? {
            if case .zone(let zone)? = entry(name) { return zone }
            return nil
        }
    }

    private let cache = Mutex(Cache())
    /// One reload at a time, so that what was read last counts.
    private let reloading = Mutex(())

    /// Users write zone names: beyond so many different ones the cache starts anew. The whole database has about 600.
    private static let cacheLimit = 2048

    /// - Parameter directory: the folder of the files; else `TZDIR`, else `/usr/share/zoneinfo`.
    public init(directory: String? = nil) {
        if let directory {
            self.directory = directory
        } else if let found = getenv("TZDIR"), found.pointee != 0 {
            self.directory = String(cString: found)
        } else {
            self.directory = "/usr/share/zoneinfo"
        }
    }

    /// The zone of a name that is valid: `UTC`, or a name with a `/` as docs/POLICY.md's section "Zone" says, whose TZif file is there; nil: it is not valid.
    ///
    /// `UTC` is there even where the database has no file of it.
    ///
    /// - Throws: `unreadable` where that can't be told now; it is looked at again when it is next asked for.
    public func zone(named name: String) throws(TimeZoneError) -> Zone? {
        let (known, generation) = cache.withLock { ($0.entry(name), $0.generation) }
        switch known {
        // Strings are equal by canonical equivalence: U+212A KELVIN SIGN would find `Asia/Kolkata`. Its bytes are more.
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

    /// What a reload came to.
    public struct Reading: Sendable {
        /// How many zones are known now.
        public let count: Int
        /// What could not be read. Where it was read before it stays as it was; else it is looked at again when it is asked for.
        public let failures: [TimeZoneError]
    }

    /// Reads every file anew, and forgets what else was asked for. Zones that were handed out stay as they are.
    ///
    /// The real database takes milliseconds and a few megabytes; from then on its zones need neither a descriptor nor the disk.
    @discardableResult public func reload() -> Reading {
        reloading.withLock { _ in
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

    /// Looks at the disk.
    func read(_ name: String) throws(TimeZoneError) -> Entry {
        do throws(TimeZoneError) {
            return .zone(try Zone(name: name, parsing: try ZoneFile.read("\(directory)/\(name)")))
        } catch {
            // It needs no file.
            if name == "UTC" { return .zone(Zone(utc: name)) }
            guard error.code != .unreadable else { throw error }
            return .missing
        }
    }

    /// Whether a name may be looked up at all: ASCII parts between single slashes, never out of the folder.
    static func isWellFormed(_ name: String) -> Bool {
        if name == "UTC", name.utf8.count == 3 { return true }
        guard name.utf8.count <= 255 else { return false }
        var parts = 0
        for part in name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy(isNamed) else { return false }
            if parts == 0, part.elementsEqual("posix".utf8) || part.elementsEqual("right".utf8) { return false }
            parts += 1
        }
        return parts >= 2
    }

    /// `[A-Za-z0-9_+-]`; without a dot there is no `.` and no `..` part.
    private static func isNamed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
