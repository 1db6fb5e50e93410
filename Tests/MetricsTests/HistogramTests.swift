import Testing

@testable import Metrics

@Suite struct HistogramTests {
    @Test func observation_onABound_isWithinIt() {
        var histogram = Histogram(bounds: [1, 2])
        for value in [0, 1, 1.5, 2, 2.5, 100] as [Double] { histogram.observe(value) }
        #expect(histogram.counts == [2, 2, 2])
        #expect(histogram.sum == 107)
        #expect(histogram.samples.map(\.value) == [2, 4, 6, 107, 6])
        #expect(histogram.samples.map(\.suffix) == ["_bucket", "_bucket", "_bucket", "_sum", "_count"])
        #expect(histogram.samples.prefix(3).map { $0.labels[0].value } == ["1", "2", "+Inf"])
    }
}
