import Testing

@testable import Demo

@Suite struct ChartTests {
    private func hours() -> LocalHours {
        var sends = [Int](repeating: 0, count: 24)
        (sends[8], sends[9], sends[10], sends[23]) = (1, 600, 1200, 3)
        var asleep = [Int](repeating: 0, count: 24)
        (asleep[0], asleep[7], asleep[8]) = (100, 56, 4)
        var woken = [Int](repeating: 0, count: 24)
        woken[23] = 2
        return LocalHours(sends: sends, asleep: asleep, people: 100, woken: woken)
    }

    @Test func chart_whenBlocksAreUnderstood() {
        let lines = LocalHourChart(width: 60, hasBlocks: true, paint: Paint(isOn: false)).lines(hours())
        #expect(lines.count == 25)
        #expect(lines[0] == "  local  asleep       sent   woken")
        #expect(lines[1] == "  00:00  ░░░░░░░░░░      0       0")
        #expect(lines[8] == "  07:00  ░░░░░░          0       0")
        #expect(lines[9] == "  08:00                  1       0  ▏")
        #expect(lines[10] == "  09:00                600       0  ███████████▌")
        #expect(lines[11] == "  10:00              1,200       0  ███████████████████████")
        #expect(lines[24] == "  23:00                  3       2  ▏")
        #expect(lines.allSatisfy { $0.count <= 60 })
    }

    @Test func chart_whenOnlyASCIIIsUnderstood() {
        let lines = LocalHourChart(width: 60, hasBlocks: false, paint: Paint(isOn: false)).lines(hours())
        #expect(lines[1] == "  00:00  ..........      0       0")
        #expect(lines[9] == "  08:00                  1       0  #")
        #expect(lines[10] == "  09:00                600       0  ############")
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 32 && $0 < 127 } })
    }

    @Test func chart_whenNothingWasSent() {
        let lines = LocalHourChart(width: 80, hasBlocks: true, paint: Paint(isOn: false)).lines(LocalHours())
        #expect(lines[1...].allSatisfy { $0.hasSuffix("      0       0") })
    }

    @Test func chart_whenColoursAreUnderstood() {
        let plain = LocalHourChart(width: 80, hasBlocks: true, paint: Paint(isOn: false)).lines(hours())
        let painted = LocalHourChart(width: 80, hasBlocks: true, paint: Paint(isOn: true)).lines(hours())
        #expect(painted[11].contains("\u{1B}[32m█") && painted[24].contains("\u{1B}[31m"))
        #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
    }

    @Test func table_whenNumbersAreLarge() {
        let table = HourTable(paint: Paint(isOn: false))
        let line = HourTable.Line(sent: 12_345, waiting: 7_010, quiet: 2_311, rejected: 4, tokensDeleted: 23)
        #expect(table.head == "  UTC       sent   waiting     quiet   rejected   tokens deleted")
        #expect(
            table.line(line, secondOfDay: 3 * 3600)
                == "  03:00   12,345     7,010     2,311          4               23"
        )
        #expect(table.total(line) == "  a day   12,345                              4               23")
    }

    @Test func columns_whenNumbersAndTextsAreLong() {
        #expect(
            [0, 999, 1000, 1_234_567, -4_000].map(Columns.grouped) == ["0", "999", "1,000", "1,234,567", "-4,000"]
        )
        #expect(Columns.wrapped("one two three", width: 7, indent: 2) == "one two\n  three")
        #expect(Columns.wrapped("unbreakable", width: 4) == "unbreakable")
    }
}
