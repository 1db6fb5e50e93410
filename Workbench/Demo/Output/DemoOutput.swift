import Glibc
import LocalPostgres
import Seeded
import Service
import Systemd
import TimeZones

/// Where the demo's lines are written, and which characters they may have.
package struct DemoOutput: Sendable {
    var write: @Sendable (String) -> Bool
    var complain: @Sendable (String) -> Void
    var width = 80
    var hasColour = false
    /// Whether lines may have block characters; else `#`.
    var hasBlocks = true

    /// Standard output and error. Colours only on a terminal, and without NO_COLOR (https://no-color.org) and TERM
    /// `dumb`. Blocks only in a UTF-8 locale. As wide as the terminal within 60 to 120 columns, else 80.
    package static func standard() -> DemoOutput {
        let environment = ProcessEnvironment.current()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let refuses = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return DemoOutput(
            write: { TextFile.append($0, to: STDOUT_FILENO) },
            complain: { _ = TextFile.append("nudged: \($0)\n", to: STDERR_FILENO) },
            width: isTerminal ? min(max(terminalColumns() ?? 80, 60), 120) : 80,
            hasColour: isTerminal && !refuses && environment["TERM"] != "dumb",
            hasBlocks: locale.uppercased().filter { $0 != "-" }.hasSuffix("UTF8")
        )
    }

    private static func terminalColumns() -> Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

extension DemoOutput {
    /// ECMA-48, select graphic rendition.
    enum Colour: Int {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case blue = 34
    }

    func paint(_ text: String, _ colour: Colour) -> String {
        hasColour && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}

enum Columns {
    static func right(_ text: String, _ width: Int) -> String { blanks(width - text.count) + text }

    static func left(_ text: String, _ width: Int) -> String { text + blanks(width - text.count) }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    static func wrapped(_ text: String, width: Int) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(word)
            } else {
                line += line.isEmpty ? String(word) : " \(word)"
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }
}

/// The texts of the day.
extension DemoOutput {
    // MARK: Before

    func head(_ scene: DemoScene, version: String, users: Int) -> String {
        let zones = "\(scene.zones.names.count) time zones from \(scene.zones.directory)"
        let day = "from \(Self.minute(scene.start)) to \(Self.minute(scene.start + 86_400)) UTC"
        let entries = [
            ("real", "PostgreSQL \(version), TLS and HTTP/2, nudged's sweeps, \(zones)"),
            ("simulated", "Apple, at \(scene.apple.simulator.endpoint); the clock, \(day)"),
            ("folder", "\(scene.cluster.folder), removed at the end"),
            ("sent, rejected", "pushes in that hour; the first hour also sends the check-ins of the four hours before"),
            ("waiting, quiet", "people at the hour's end who wait for their next check-in: awake, or in quiet hours"),
        ]
        let title = paint("A day of \(Elapsed.counted(users, "person", "people")) in fast motion", .bold)
        return title + "\n\n" + entries.map { entry($0, $1) }.joined() + "\n"
    }

    private func wrapped(_ text: String) -> String { Columns.wrapped(text, width: width) }

    private func entry(_ name: String, _ text: String) -> String {
        let indent = 18
        let wrapped = Columns.wrapped(text, width: width - indent)
            .split(separator: "\n").joined(separator: "\n" + String(repeating: " ", count: indent))
        return "  \(paint(Columns.left(name, indent - 2), .dim))\(wrapped)\n"
    }

    private static func minute(_ instant: Instant) -> String {
        String(instant.rfc3339.prefix(16)).split(separator: "T").joined(separator: " ")
    }

    // MARK: The day

    private static let columns = [9, 10, 10, 11, 17]

    var tableHead: String {
        paint("  UTC  " + Self.row(["sent", "waiting", "quiet", "rejected", "tokens deleted"]), .bold) + "\n"
    }

    func hour(_ line: HourLine, secondOfDay: Int) -> String {
        "  \(Night.clock(secondOfDay / 60))" + Self.row(line.numbers) + "\n"
    }

    private func total(_ total: HourLine) -> String {
        var numbers = total.numbers
        (numbers[1], numbers[2]) = ("", "")
        return paint("  a day" + Self.row(numbers), .bold)
    }

    private static func row(_ cells: [String]) -> String { zip(cells, columns).map { Columns.right($0, $1) }.joined() }

    // MARK: After

    func end(_ result: DayResult) -> String {
        let seconds = Elapsed.grouped(Int(result.duration / .seconds(1)))
        let inTheNight = result.hours.sendsInUsualNight
        var lines = [total(result.total), ""]
        let chartHead =
            "By the recipient's local hour: the share of people in quiet hours, pushes with a text, and "
            + "those in quiet hours. The demo works this out from zones and preferences, without nudged:"
        lines.append(wrapped(chartHead))
        lines += chart(result.hours)
        if inTheNight > 0, result.hours.woken == 0 {
            let all = "The \(Elapsed.grouped(inTheNight)) between 22:00 and 08:00"
            lines.append(wrapped("\(all) went to people with other quiet hours, or none."))
        }
        let changing = Elapsed.counted(result.changes, "person", "people")
        let played = "24 hours in \(seconds) s, minute by minute"
        lines += ["", wrapped("\(played); \(changing) changed their preferences meanwhile")]
        lines += result.lines.map(wrapped)
        lines.append(paint(wrapped(result.agreement.text), result.holds ? .green : .red))
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: The chart

    private static let gauge = 10

    /// A bar of pushes for each local hour, and a gauge of how many people sleep then.
    private func chart(_ hours: LocalHours) -> [String] {
        let most = hours.sends.max() ?? 0
        let room = max(10, width - 37)
        let head = Columns.left("asleep", Self.gauge) + Columns.right("sent", 7) + Columns.right("woken", 8)
        return [paint("  local  " + head, .bold)]
            + (0..<24).map { hour in
                let share = hours.people > 0 ? Double(hours.asleep[hour]) / Double(hours.people) : 0
                let asleep = Columns.left(gauge(share), Self.gauge)
                let sent = hours.sends[hour]
                let bar = bar(Double(sent) / Double(max(most, 1)) * Double(room), isAny: sent > 0)
                let woken = Columns.right(Elapsed.grouped(hours.wokenByHour[hour]), 8)
                let line =
                    "  \(Night.clock(hour * 60))  \(paint(asleep, .blue))" + Columns.right(Elapsed.grouped(sent), 7)
                    + (hours.wokenByHour[hour] > 0 ? paint(woken, .red) : woken)
                return bar.isEmpty ? line : "\(line)  \(paint(bar, .green))"
            }
    }

    private func gauge(_ share: Double) -> String {
        String(repeating: hasBlocks ? "░" : ".", count: Int((share * Double(Self.gauge)).rounded()))
    }

    /// Blocks show eighths of a column. One push is never drawn as none.
    private func bar(_ columns: Double, isAny: Bool) -> String {
        guard isAny else { return "" }
        guard hasBlocks else { return String(repeating: "#", count: max(1, Int(columns.rounded()))) }
        let eighths = max(1, Int((columns * 8).rounded()))
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + rest
    }
}

struct HourLine: Sendable {
    var sent = 0
    /// People at its end who are awake and wait for their next check-in.
    var waiting = 0
    var quiet = 0
    var rejected = 0
    var tokensDeleted = 0

    var numbers: [String] { [sent, waiting, quiet, rejected, tokensDeleted].map(Elapsed.grouped) }
}
