import Glibc
import Systemd

/// What systemd's unit files say of a service, read as systemd.unit(5) says: the first folder that has the unit, then its drop-ins, of which a name that
/// occurs in several folders counts in the first, by name. Later settings win; an empty one takes all before it back.
struct UnitSettings: Sendable, Equatable {
    /// The unit's own file.
    let path: String
    /// Somebody said that nothing may start it: by a link to /dev/null, or an empty file.
    let isMasked: Bool
    /// By `Section.Key`, in order.
    private(set) var values: [String: [String]] = [:]

    /// The last one; nil where there is none.
    subscript(_ name: String) -> String? { values[name]?.last }

    /// Whether a time is set that ends: `0` and `infinity` say that there is none.
    func hasTime(_ name: String) -> Bool {
        guard let value = self[name] else { return false }
        return value != "infinity" && value.contains { $0.isNumber && $0 != "0" }
    }

    /// Whether it is said to be so, as systemd.syntax(7) takes it.
    func isTrue(_ name: String) -> Bool {
        ["1", "yes", "true", "on", "y", "t"].contains(self[name]?.lowercased() ?? "")
    }

    /// - Parameter texts: the unit's, then those of its drop-ins.
    init(path: String, texts: [String]) {
        self.path = path
        isMasked = false
        for text in texts { take(text) }
    }

    private init(maskedAt path: String) {
        self.path = path
        isMasked = true
    }

    private mutating func take(_ text: String) {
        var section = ""
        var begun = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            // A comment between continued lines is passed over.
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

    /// Reads the files; nil where no folder has the unit.
    ///
    /// - Parameter root: what stands for `/`.
    init?(unit: String, root: String = "") {
        // A link that leads nowhere is passed over.
        let found = Self.folders.lazy.map { (path: "\($0)/\(unit)", text: Self.text("\(root)\($0)/\(unit)")) }
        guard let (path, text) = found.first(where: { $0.text != nil || Self.isMask(root + $0.path) }) else {
            return nil
        }
        guard let text, !Self.isMask(root + path) else {
            self.init(maskedAt: path)
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

    /// Leads to /dev/null, or is empty.
    private static func isMask(_ path: String) -> Bool {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFCHR || facts.st_mode & S_IFMT == S_IFREG && facts.st_size == 0
    }

    /// nil: none that we may read.
    private static func text(_ path: String) -> String? {
        try? Credentials.readText(path, limit: 1 << 20, mayBeWorldReadable: true)
    }
}
