import Glibc

enum Folder {
    /// The names in a folder, sorted, without hidden ones. Empty if it can't be listed.
    static func names(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether the path exists. A broken link counts.
    static func has(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0
    }
}
