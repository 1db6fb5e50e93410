import Base
import Configuration
import Operator
import Service
import ArgumentParser
import Glibc

/// `nudged report`.
struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Writes the record as one HTML page of charts. It names no person.",
        discussion: """
            The page is one file that loads nothing from a network, light or dark as the reader's system is. The \
            command reads one snapshot of the database and changes nothing. It uses one of the database's processors. \
            docs/REPORT.md says what each chart shows and how it is counted.

            Numbers are exact. With few users, an exact number can tell something of one person. So use --rounded for \
            a page that you pass on: 1 to 4 are then shown as 1–4, and all others as the nearest multiple of five.

            Exit status: 69 if the database can't be reached, 74 if the file can't be written, 77 if a right is \
            missing, 78 if the configuration or the schema is wrong.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: "How many days to look back: 1 to 366.") var days = 7
    @Flag(help: "Round all numbers, for a page that you pass on.") var rounded = false
    @Option(help: ArgumentHelp("The file to write; - for standard output.", valueName: "file")) var html: String

    func validate() throws {
        guard ReportRun.days.contains(days) else {
            throw ValidationError("--days must be \(ReportRun.days.lowerBound) to \(ReportRun.days.upperBound)")
        }
        guard !html.isEmpty else { throw ValidationError("--html names no file") }
    }

    func run() async throws {
        let loaded = try config.load(needs: .database)
        let page: String
        do {
            let command = try ReportRun(loaded.configuration)
            page = try await Terminal.progress("counting") {
                try await command.page(
                    days: days,
                    numbers: rounded ? .rounded : .exact,
                    version: Version.current,
                    onProgress: $0
                )
            }
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard html != "-" else {
            guard Output.write(Array(page.printableLines.utf8), to: STDOUT_FILENO) else {
                throw Output.failure("the report can't be written")
            }
            return
        }
        do throws(ReportFileError) {
            try ReportFile(html).write(page)
        } catch {
            Output.error("\(error)")
            // EX_IOERR of sysexits(3).
            throw ExitCode(74)
        }
    }
}
