import Seeded
import TestSupport
import Testing

@testable import Metrics

@Suite struct ExpositionTests {
    private static func text(_ families: [MetricFamily]) -> String {
        String(decoding: MetricFamily.page(families), as: UTF8.self)
    }

    @Test func page_hasHelpAndTypeOnceAndSamplesInTheirOrder() {
        var histogram = Histogram(bounds: [0.5, 1])
        for value in [0.5, 0.75, 3] { histogram.observe(value) }
        let samples = [MetricSample(3, ["z", "1"]), MetricSample(0, ["a", "1"])]
        let families = [
            MetricFamily("nudged_b_total", .counter, labels: ["kind", "a"], samples).says("Counts b."),
            MetricFamily("nudged_empty", .gauge, []).says("Nothing is known of it."),
            MetricFamily("nudged_a_seconds", .histogram, histogram.samples).says("Sizes."),
        ]
        #expect(
            Self.text(families) == """
                # HELP nudged_b_total Counts b.
                # TYPE nudged_b_total counter
                nudged_b_total{kind="z",a="1"} 3
                nudged_b_total{kind="a",a="1"} 0
                # HELP nudged_a_seconds Sizes.
                # TYPE nudged_a_seconds histogram
                nudged_a_seconds_bucket{le="0.5"} 1
                nudged_a_seconds_bucket{le="1"} 2
                nudged_a_seconds_bucket{le="+Inf"} 3
                nudged_a_seconds_sum 4.25
                nudged_a_seconds_count 3

                """
        )
        #expect(Self.text(families) == Self.text(families))
    }

    @Test func text_whenItHoldsWhatTheFormatUses_isEscaped() {
        let odd = "a\\b\"c\nd\r\ne{}=,\u{1F600}"
        let page = Self.text([MetricFamily("x", .gauge, labels: ["l"], [MetricSample(1, [odd])]).says(odd)])
        #expect(
            page
                == "# HELP x a\\\\b\"c\\nd\r\\ne{}=,\u{1F600}\n# TYPE x gauge\nx{l=\"a\\\\b\\\"c\\nd\r\\ne{}=,\u{1F600}\"} 1\n"
        )
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (-2, "-2"), (0.1, "0.1"), (1_763_000_000, "1763000000"), (1e300, "1e+300"),
            (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
        ] as [(Double, String)]
    ) func number_isAsGoReadsIt(value: Double, text: String) { #expect(MetricFamily.number(value) == text) }

    @Test func observation_onABound_isWithinIt() {
        var histogram = Histogram(bounds: [1, 2])
        for value in [0, 1, 1.5, 2, 2.5, 100] as [Double] { histogram.observe(value) }
        #expect(histogram.counts == [2, 2, 2] && histogram.sum == 107)
        #expect(histogram.samples.map(\.value) == [2, 4, 6, 107, 6])
        #expect(histogram.samples.map(\.suffix) == ["_bucket", "_bucket", "_bucket", "_sum", "_count"])
        #expect(histogram.samples.prefix(3).map { $0.labels[0] } == ["1", "2", "+Inf"])
    }

    /// Whatever labels, helps and numbers there are, a reader finds the same ones.
    @Test(arguments: Seeds.all) func page_isReadBack(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for round in 0..<200 {
            let families = (0..<random.int(0...6)).map { Self.family($0, &random) }
            let read = try ReadMetrics(Self.text(families))
            let shown = families.filter { !$0.samples.isEmpty }
            #expect(read.families.map(\.name) == shown.map(\.name), "seed \(seed), round \(round)")
            for (family, read) in zip(shown, read.families) {
                #expect(read.help == family.help && read.kind == family.kind.rawValue, "seed \(seed), round \(round)")
                #expect(read.samples.map(\.value) == family.samples.map(\.value), "seed \(seed), round \(round)")
                let names = family.kind == .histogram ? ["le"] : family.labels
                let labels = family.samples.map { sample in zip(names, sample.labels).map { [$0, $1] } }
                #expect(read.samples.map(\.labels) == labels, "seed \(seed), round \(round)")
            }
        }
    }

    private static func family(_ number: Int, _ random: inout SplitMix64) -> MetricFamily {
        let kind = random.pick(MetricFamily.Kind.allCases)
        let help = word(&random)
        if kind == .histogram {
            var histogram = Histogram(bounds: [0.001, 0.5, 7])
            for _ in 0..<random.int(0...20) { histogram.observe(Double(random.int(0...10_000)) / 1000) }
            return MetricFamily("m\(number)_seconds", kind, histogram.samples).says(help)
        }
        let labels = (0..<random.int(0...3)).map { "l\($0)" }
        let samples = (0..<random.int(0...4)).map { _ in
            MetricSample(value(&random), labels.map { _ in word(&random) })
        }
        return MetricFamily("m\(number)", kind, labels: labels, samples).says(help)
    }

    private static func value(_ random: inout SplitMix64) -> Double {
        random.chance(50)
            ? Double(random.int(-1000...1_000_000)) : random.pick([0.1, 1e-9, 1e300, .infinity, -.infinity, 1 / 3])
    }

    private static func word(_ random: inout SplitMix64) -> String {
        let letters = Array("a\\\"\n\r{},= n#\u{E9}\u{301}😀".unicodeScalars)
        var word = String.UnicodeScalarView()
        for _ in 0..<random.int(0...12) { word.append(random.pick(letters)) }
        return String(word)
    }
}
