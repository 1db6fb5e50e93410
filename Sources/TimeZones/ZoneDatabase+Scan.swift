import Glibc

extension ZoneDatabase {
    struct Scan {
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

    /// Reads every file whose name is valid.
    func scan() -> Scan {
        var scan = Scan()
        collect(in: "", depth: 0, into: &scan)
        do throws(TimeZoneError) {
            for name in try links().keys where scan.zones[name] == nil {
                if case .zone(let zone) = try read(name) { scan.zones[name] = zone }
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
                if Self.isWellFormed(name), case .zone(let zone) = try read(name) {
                    scan.zones[name] = zone
                } else if Self.isWellFormed("\(name)/x") {
                    collect(in: name, depth: depth + 1, into: &scan)
                }
            } catch {
                scan.unread.append((name, error))
            }
        }
    }

    /// The names in a folder. Empty if there is no such folder.
    private func entries(of name: String, _ scan: inout Scan) -> [String] {
        let path = "\(directory)/\(name)"
        func note(_ number: Int32) {
            let error = ZoneFile.failure(number, path)
            if error.code == .unreadable { scan.unread.append((name, error)) }
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
