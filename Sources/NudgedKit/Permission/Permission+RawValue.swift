extension Permission: RawRepresentable {
    /// The state as one string, for the app's defaults.
    ///
    /// `undetermined`, `allowed`, `denied` or `unknown`; then `+prompting` while the prompt is on the screen; then
    /// `+explained`, how often and when last, if the app's own question was shown; then `!` and the text if there was
    /// a failure: `undetermined+explained:2:1767225600!No network`.
    public var rawValue: String {
        system.rawValue + (isPrompting ? "+prompting" : "")
            + (explanations > 0 ? "+explained:\(explanations):\(explainedAt)" : "") + (failure.map { "!\($0)" } ?? "")
    }

    /// Reads a string that `rawValue` made; nil for any other.
    public init?(rawValue: String) {
        // Split by bytes: the text's first scalar may combine with `!` to one `Character`.
        let halves = rawValue.utf8.split(separator: UInt8(ascii: "!"), maxSplits: 1, omittingEmptySubsequences: false)
        var parts = halves[0].split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }[...]
        guard let first = parts.popFirst(), let system = SystemPermission(rawValue: first) else { return nil }
        self.system = system
        if parts.first == "prompting" {
            isPrompting = true
            parts.removeFirst()
        }
        if let explained = parts.popFirst(), !read(explained: explained) { return nil }
        guard parts.isEmpty else { return nil }
        if halves.count > 1 { failure = String(decoding: halves[1], as: UTF8.self) }
    }

    /// Reads `explained:2:1767225600`.
    private mutating func read(explained text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, parts[0] == "explained", let count = Int(parts[1]), count > 0,
            let instant = Int64(parts[2])
        else { return false }
        explanations = count
        explainedAt = instant
        return true
    }
}
