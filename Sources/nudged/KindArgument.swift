import ArgumentParser
import Policy

/// `[KIND]`; none is all.
struct KindArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("check_in, message or reminder; none is all.", valueName: "kind")) var name: String?

    func validate() throws {
        guard let name, kind == nil else { return }
        throw ValidationError("'\(name)' is no kind: check_in, message or reminder")
    }

    /// nil: all.
    var kind: NudgeKind? { name.flatMap(NudgeKind.init(rawValue:)) }
}
