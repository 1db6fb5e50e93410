import ArgumentParser
import Policy

/// The argument `[KIND]`.
struct KindArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("check_in, message or reminder. (default: all)", valueName: "kind")) var name: String?

    func validate() throws {
        guard let name, kind == nil else { return }
        throw ValidationError("'\(name)' is not a kind of nudge: give check_in, message or reminder")
    }

    /// Nil: all kinds.
    var kind: NudgeKind? { name.flatMap(NudgeKind.init(rawValue:)) }
}
