import Metrics

/// A metric of the daemon: its name, kind, labels, help and what to do about it.
///
/// It is defined only here. The page and the tables of docs/METRICS.md are made from the definitions, and tests compare
/// the alerts and the dashboard with them.
struct Metric: Sendable, Hashable {
    /// `nudged_…`, with its unit at the end (Prometheus, "Metric and label naming").
    let name: String
    let kind: MetricFamily.Kind
    /// Each label has few values, and none is about a person.
    let labels: [String]
    /// One sentence, which is also its `HELP`.
    let help: String
    /// What an operator can do with it.
    let use: String

    init(_ name: String, _ kind: MetricFamily.Kind, labels: [String] = [], _ help: String, use: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
        self.use = use
    }

    /// The metric with these samples.
    func family(_ samples: [MetricSample]) -> MetricFamily { MetricFamily(name, kind, help: help, samples) }

    /// The metric with one value. nil: the value is unknown now.
    func family(_ value: Double?) -> MetricFamily { family(value.map { [MetricSample($0)] } ?? []) }

    func family(_ count: Int) -> MetricFamily { family(Double(count)) }

    /// 1 for true, 0 for false.
    func family(_ isSo: Bool) -> MetricFamily { family(isSo ? 1 : 0) }

    /// 1 for the label value `now`, 0 for the others.
    func family(states: [String], now: String) -> MetricFamily {
        family(states.map { MetricSample($0 == now ? 1 : 0, [MetricLabel(labels[0], $0)]) })
    }
}
