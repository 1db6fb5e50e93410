@testable import Service

/// What docs/METRICS.md says of each metric.
enum MetricTables {
    static var text: String {
        Metric.groups.map { group in
            "### \(group.title)\n\n| metric | type | labels | what it says | what to make of it |\n| --- | --- | --- | --- | --- |\n"
                + group.metrics.map(row).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func row(_ metric: Metric) -> String {
        let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
        return "| `\(metric.name)` | \(metric.kind.rawValue) | \(labels) | \(metric.help) | \(metric.use) |"
    }
}
