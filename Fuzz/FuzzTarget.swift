/// What the fuzzers read. The raw value is the target's name in `scripts/fuzz`.
enum FuzzTarget: String, CaseIterable, Sendable {
    case answers, frames, zones, preferences, context, decisions, yaml, scrapes, rows, contents

    /// Reads one input. Returns -1 if the input is not worth keeping.
    func run(_ input: [UInt8]) async -> Int32 {
        if let atOnce { return input.withUnsafeBytes(atOnce) }
        return await RowsTarget.run(input)
    }

    /// Reads one input without waiting. nil: the target's calls are asynchronous.
    var atOnce: ((UnsafeRawBufferPointer) -> Int32)? {
        switch self {
        case .answers: AnswersTarget.run
        case .frames: FramesTarget.run
        case .zones: ZonesTarget.run
        case .preferences: PreferencesTarget.run
        case .context: ContextTarget.run
        case .decisions: DecisionsTarget.run
        case .yaml: YAMLTarget.run
        case .scrapes: ScrapesTarget.run
        case .rows: nil
        case .contents: ContentsTarget.run
        }
    }
}
