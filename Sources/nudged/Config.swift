import Configuration
import ArgumentParser

/// `nudged config --show`, `nudged config --reference`.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The effective configuration, with the source of each value; secrets are hidden.",
        discussion: "--reference needs no configuration: it lists every key with its values, default and variable."
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Print what is in force.") var show = false
    @Flag(help: "Print every key there is, as Markdown.") var reference = false
    @Flag(help: "With --reference: as one JSON object.") var json = false

    func validate() throws {
        if show == reference { throw ValidationError("config needs either --show or --reference") }
        if json && !reference { throw ValidationError("--json goes with --reference") }
    }

    func run() throws {
        if reference {
            let text = json ? ConfigurationReference.json : ConfigurationReference.page
            guard Output.line(text) else { throw Output.failure("the reference can't be written") }
        } else {
            let text = ConfigurationReport.show(try config.load())
            guard Output.line(text) else { throw Output.failure("the configuration can't be written") }
        }
    }
}
