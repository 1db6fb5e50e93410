extension Permission: RawRepresentable {
    /// One string, for the app's defaults: `undetermined`, `allowed` or `denied`, then `+prompting` or `+prompted`, then `!` and the words of a failure.
    public var rawValue: String {
        system.rawValue + prompt.suffix + (failure.map { "!\($0)" } ?? "")
    }

    /// Reads what `rawValue` wrote; nil for anything else.
    public init?(rawValue: String) {
        // Split by bytes: a letter of the words can combine with the mark.
        let parts = rawValue.utf8.split(separator: UInt8(ascii: "!"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let head = parts.first.flatMap({ String($0) }) else { return nil }
        for prompt in [Prompt.ahead, .shown, .over] where head.hasSuffix(prompt.suffix) {
            guard let system = SystemPermission(rawValue: String(head.dropLast(prompt.suffix.count))) else { continue }
            self.system = system
            self.prompt = prompt
            if parts.count > 1 { failure = String(parts[1]) }
            return
        }
        return nil
    }
}

extension Permission.Prompt {
    fileprivate var suffix: String {
        switch self {
        case .ahead: ""
        case .shown: "+prompting"
        case .over: "+prompted"
        }
    }
}
