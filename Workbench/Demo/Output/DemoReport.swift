import TimeZones

/// The demo's output, part by part.
struct DemoReport: Sendable {
    let output: DemoOutput

    private var paint: Paint { Paint(isOn: output.hasColour) }
    private var table: HourTable { HourTable(paint: paint) }

    // MARK: Before

    /// What is real, what is simulated, and what the columns mean.
    func head(_ scene: DemoScene, version: String, users: Int) -> String {
        let end = scene.start + 86_400
        return paint("A day of \(Columns.count(users, "person", "people")) in fast motion", .bold) + "\n\n"
            + entry(
                "real",
                "PostgreSQL \(version), TLS and HTTP/2, nudged's sweeps, "
                    + "\(scene.zoneCount) time zones from \(scene.zones.directory)"
            )
            + entry(
                "simulated",
                "Apple, at \(scene.apple.simulator.endpoint); the clock, "
                    + "from \(Self.minute(scene.start)) to \(Self.minute(end)) UTC"
            )
            + entry("folder", "\(scene.cluster.folder), removed at the end")
            + entry(
                "sent, rejected",
                "pushes in that hour; the first hour also sends the check-ins of the four hours before"
            )
            + entry(
                "waiting, quiet",
                "people at the hour's end who wait for their next check-in: awake, or in quiet hours"
            )
            + "\n"
    }

    private func wrapped(_ text: String) -> String { Columns.wrapped(text, width: output.width) }

    private func entry(_ name: String, _ text: String) -> String {
        let indent = 18
        let wrapped = Columns.wrapped(text, width: output.width - indent)
            .split(separator: "\n").joined(separator: "\n" + String(repeating: " ", count: indent))
        return "  \(paint(Columns.left(name, indent - 2), .dim))\(wrapped)\n"
    }

    /// `2026-11-21 03:00`
    private static func minute(_ instant: Instant) -> String {
        String(instant.rfc3339.prefix(16)).split(separator: "T").joined(separator: " ")
    }

    // MARK: The day

    var tableHead: String { table.head + "\n" }

    func hour(_ line: HourTable.Line, secondOfDay: Int) -> String {
        table.line(line, secondOfDay: secondOfDay) + "\n"
    }

    // MARK: After

    /// Sums, chart and checks. The agreement is the last line.
    func end(_ result: DayResult) -> String {
        let chart = LocalHourChart(width: output.width, hasBlocks: output.hasBlocks, paint: paint)
        let seconds = Columns.grouped(Int(result.duration / .seconds(1)))
        let check = result.check
        let inTheNight = result.hours.sendsInUsualNight
        var lines = [table.total(result.total), ""]
        lines.append(
            wrapped(
                "By the recipient's local hour: the share of people in quiet hours, pushes sent, and pushes in "
                    + "quiet hours. The demo works this out from zones and preferences, without nudged:"
            )
        )
        lines += chart.lines(result.hours)
        if inTheNight > 0, check.woken == 0 {
            lines.append(
                wrapped(
                    "The \(Columns.grouped(inTheNight)) between 22:00 and 08:00 went to people with other quiet "
                        + "hours, or none."
                )
            )
        }
        lines += [
            "",
            wrapped(
                "24 hours in \(seconds) s, minute by minute; "
                    + "\(Columns.count(result.changes, "person", "people")) changed their preferences meanwhile"
            ),
        ]
        lines += check.lines(pushes: result.pushes).map(wrapped)
        lines.append(paint(wrapped(check.agreement.text), check.holds ? .green : .red))
        return lines.joined(separator: "\n") + "\n"
    }
}
