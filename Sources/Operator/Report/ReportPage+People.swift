import HTML
import Core

/// The section about the people who got something.
extension ReportPage {
    var people: ReportSection {
        let title = "People reached"
        let people = report.people
        guard people.all > 0 else {
            return ReportSection(id: "people", title: title, parts: [.text("Apple accepted nothing in this time.")])
        }
        let kinds = Report.kinds.filter { $0 != Report.kinds.last || people.byKind[$0] != nil }
        let table = Table(
            "People reached, by kind",
            [.text("Kind"), .number("People")],
            kinds.map { [KindText.title($0), shown(people.byKind[$0] ?? 0)] },
            sums: ["Any kind", shown(people.all)]
        )
        let explanation =
            "People with at least one push that Apple accepted. A person who got several kinds is in each of their "
            + "lines, and once in the last line."
        return ReportSection(id: "people", title: title, parts: [.text(explanation), .node(table.node)])
    }
}
