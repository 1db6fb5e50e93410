import Glibc

extension ZoneDatabase {
    /// Every valid name on disk, sorted. Reads every file: for tests and tools.
    public var names: [String] {
        var names: [String] = []
        collect(in: "", depth: 0, into: &names)
        return names.sorted()
    }

    /// Folders nest three deep in the real database; a bound ends a loop of links.
    private func collect(in folder: String, depth: Int, into names: inout [String]) {
        guard depth < 5 else { return }
        for entry in entries(of: "\(directory)/\(folder)") {
            let name = folder.isEmpty ? entry : "\(folder)/\(entry)"
            if zone(named: name) != nil {
                names.append(name)
            } else if Self.isWellFormed("\(name)/x") {
                collect(in: name, depth: depth + 1, into: &names)
            }
        }
    }

    private func entries(of path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var entries: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { entries.append(name) }
        }
        return entries
    }
}
