import Glibc
import Testing

@testable import Service
@testable import Metrics

@Suite struct ReporterMonitoringTests {
    @Test func metrics_whenTheyCanNotBeShown_areSaidOnceAPlaceAndAtTheEnd() {
        let lines = ReporterLines()
        let reporter = Reporter(lines.logger)
        reporter.metricsShown(at: "/srv/a.prom")
        #expect(lines.all.isEmpty, "what works from the start is no news")
        for _ in 0..<3 {
            reporter.metricsFailed(MetricsError(.file, "/srv/a.prom", EROFS), at: "/srv/a.prom")
            reporter.metricsFailed(MetricsError(.listen, "127.0.0.1:1", EADDRINUSE), at: "127.0.0.1:1")
        }
        #expect(
            lines.all.count == 2 && lines.all.allSatisfy { $0.hasPrefix("warning metrics_failed ") },
            "\(lines.all)"
        )
        for _ in 0..<2 { reporter.metricsShown(at: "/srv/a.prom") }
        #expect(lines.all.count == 3 && lines.all[2].hasPrefix("notice metrics_back "), "\(lines.all)")
    }
}
