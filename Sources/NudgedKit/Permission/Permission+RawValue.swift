extension Permission: RawRepresentable {
    /// The state as one string, for the app's defaults.
    ///
    /// `undetermined`, `allowed` or `denied`; then `+prompting` or `+prompted` if the prompt was shown; then `!` and
    /// the text if there was a failure.
    public var rawValue: String {
        system.rawValue + prompt.suffix + (failure.map { "!\($0)" } ?? "")
    }

    /// Reads a string that `rawValue` made; nil for any other.
    public init?(rawValue: String) {
        // Split by bytes: the text's first scalar may combine with `!` to one `Character`.
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
