import Metrics

/// A metric that the daemon shows: its name, its kind, its labels, what it says and what to do about it. The one place for them: the page is made from these
/// definitions, the tables of docs/METRICS.md are written from them, and tests hold alerts and dashboard to them.
struct Metric: Sendable, Hashable {
    /// `nudged_…`, with its unit at the end (Prometheus, "Metric and label naming").
    let name: String
    let kind: MetricFamily.Kind
    /// Each takes a few values only, and nothing about a person.
    let labels: [String]
    /// One sentence, which is its `HELP` as well.
    let help: String
    /// What an operator makes of it.
    let use: String

    init(_ name: String, _ kind: MetricFamily.Kind, labels: [String] = [], _ help: String, use: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
        self.use = use
    }

    /// With what is known of it.
    func family(_ samples: [MetricSample]) -> MetricFamily { MetricFamily(name, kind, help: help, samples) }

    /// With one value; nil: nothing is known now.
    func family(_ value: Double?) -> MetricFamily { family(value.map { [MetricSample($0)] } ?? []) }

    /// With a count.
    func family(_ count: Int) -> MetricFamily { family(Double(count)) }

    /// 1 for yes, 0 for no.
    func family(_ isSo: Bool) -> MetricFamily { family(isSo ? 1 : 0) }

    /// 1 under the value of its label that holds now, 0 under the others.
    func family(states: [String], now: String) -> MetricFamily {
        family(states.map { MetricSample($0 == now ? 1 : 0, [MetricLabel(labels[0], $0)]) })
    }
}
