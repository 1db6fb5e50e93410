import Configuration
import Operator
import Service
import ArgumentParser
import Glibc
import Systemd

/// `nudged forecast`.
struct ForecastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forecast",
        abstract: "Forecasts the pushes of the coming hours, from the real data.",
        discussion: """
            It assumes that Apple accepts every push and that preferences don't change. It reads one snapshot of the \
            database, page by page, and writes nothing. A million users take less than a minute.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: "How many hours to look ahead: 1 to 168.") var hours = 48
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        guard ForecastRun.hours.contains(hours) else {
            throw ValidationError("--hours must be \(ForecastRun.hours.lowerBound) to \(ForecastRun.hours.upperBound)")
        }
    }

    func run() async throws {
        let loaded = try config.load()
        let forecast: Forecast
        do {
            let command = try ForecastRun(loaded.configuration)
            forecast = try await Terminal.progress("reading") { try await command.run(hours: hours, onProgress: $0) }
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        let text =
            json ? forecast.json : forecast.text(width: Terminal.width(STDOUT_FILENO), hasBlocks: Terminal.hasBlocks)
        guard Output.line(text, isJSON: json) else { throw Output.failure("the forecast can't be written") }
    }
}
