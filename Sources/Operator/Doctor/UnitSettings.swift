import Glibc
import Systemd

/// A service's settings from systemd's unit files (systemd.unit(5)): the unit from the first folder that has it, then
/// its drop-ins by name. If several folders have a drop-in of one name, the first folder counts.
///
/// A later setting wins. An empty one removes all settings of that name before it.
struct UnitSettings: Sendable, Equatable {
    let path: String
    /// Nothing can start the unit: its file is a link to /dev/null, or empty.
    let isMasked: Bool
    /// By `Section.Key`, in the order of the files.
    private(set) var values: [String: [String]] = [:]

    subscript(_ name: String) -> String? { values[name]?.last }

    /// Whether a finite time is set: `0` and `infinity` mean none.
    func hasTime(_ name: String) -> Bool {
        guard let value = self[name] else { return false }
        return value != "infinity" && value.contains { $0.isNumber && $0 != "0" }
    }

    func isTrue(_ name: String) -> Bool {
        ["1", "yes", "true", "on", "y", "t"].contains(self[name]?.lowercased() ?? "")
    }

    /// - Parameter texts: the unit's text, then those of its drop-ins.
    init(path: String, texts: [String], isMasked: Bool = false) {
        self.path = path
        self.isMasked = isMasked
        for text in texts { take(text) }
    }

    private mutating func take(_ text: String) {
        var section = ""
        var begun = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            // systemd skips a comment between continued lines.
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasSuffix("\\") {
                begun += line.dropLast() + " "
                continue
            }
            let whole = begun + line
            begun = ""
            if whole.hasPrefix("["), let end = whole.firstIndex(of: "]") {
                section = String(whole[whole.index(after: whole.startIndex)..<end])
            } else if let equals = whole.firstIndex(of: "=") {
                let key = whole[..<equals].filter { $0 != " " && $0 != "\t" }
                let value = whole[whole.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
                let trimmed = String(value.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
                if trimmed.isEmpty {
                    values["\(section).\(key)"] = nil
                } else {
                    values["\(section).\(key)", default: []].append(trimmed)
                }
            }
        }
    }
}

extension UnitSettings {
    private static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// Reads the files. Nil if no folder has the unit.
    ///
    /// - Parameter root: a folder in place of `/`, for tests.
    init?(unit: String, root: String = "") {
        // A broken link counts as no file.
        let found = Self.folders.lazy.map { (path: "\($0)/\(unit)", text: Self.text("\(root)\($0)/\(unit)")) }
        guard let (path, text) = found.first(where: { $0.text != nil || Self.isMask(root + $0.path) }) else {
            return nil
        }
        guard let text, !Self.isMask(root + path) else {
            self.init(path: path, texts: [], isMasked: true)
            return
        }
        var dropIns: [String: String] = [:]
        for folder in Self.folders.map({ "\(root)\($0)/\(unit).d" }) {
            for name in Folder.names(folder) where name.hasSuffix(".conf") && dropIns[name] == nil {
                dropIns[name] = "\(folder)/\(name)"
            }
        }
        let texts = dropIns.sorted { $0.key < $1.key }.compactMap { Self.text($0.value) }
        self.init(path: path, texts: [text] + texts)
    }

    /// Whether the file leads to a character device such as /dev/null, or is empty.
    private static func isMask(_ path: String) -> Bool {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFCHR || facts.st_mode & S_IFMT == S_IFREG && facts.st_size == 0
    }

    private static func text(_ path: String) -> String? { try? Credentials.readText(path, limit: 1 << 20) }
}

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
