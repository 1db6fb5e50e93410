import ArgumentParser

/// `nudged-bench held-xmin`: users become due steadily while a snapshot is held, so no dead row can be removed.
///
/// Prints each minute's users per second, latency, dead rows and sizes, and how fast a burst is served.
struct HeldXmin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures throughput and latency while another long transaction keeps dead rows."
    )

    @Option(help: "How long users become due, in seconds.") var seconds = 600
    @Option(help: "Users who become due per second.") var rate = 2000

    /// Users of a burst, which measures the possible throughput.
    private static let burst = 20_000
    /// Seconds per line of the report.
    private static let window = 60

    func run() async throws {
        let bench = try Workbench()
        defer { bench.stop() }
        let (feed, burst, window) = (seconds * rate, Self.burst, Self.window)
        try await bench.seed(users: feed + 3 * burst)
        let (_, endpoint) = try bench.startApple()
        // The first user is due when everything is prepared and two bursts are finished.
        let lead = 30 + feed / 15_000 + burst / 500
        try bench.sql(Self.schedule(feed: feed, rate: rate, lead: lead), within: .seconds(1800))
        let daemon = try BenchDaemon(bench.configuration(endpoint))
        var bursts = [try await measureBurst(1, bench)]
        try bench.holdSnapshot()
        bursts.append(try await measureBurst(2, bench))

        let base =
            try Double(bench.sql("select extract(epoch from base - clock_timestamp()) from bench.clock").trimmed) ?? 0
        guard base > 0 else { throw ValidationError("preparing took longer than \(lead) s") }
        try await Task.sleep(for: .seconds(base))
        var samples: [(busy: Double, sizes: [String])] = []
        var busy = daemon.busySeconds
        for _ in 0..<max(1, seconds / window) {
            try await Task.sleep(for: .seconds(window))
            let now = daemon.busySeconds
            samples.append(((now - busy) / Double(window) * 100, try bench.row(Self.sizes)))
            busy = now
        }
        try await wait(for: 0, bench)
        bursts.append(try await measureBurst(3, bench))
        await daemon.stop()
        try report(bench, samples, bursts)
    }

    // MARK: The population

    /// Part 0 becomes due one by one. Parts 1 to 3 are the bursts, not due until they are started.
    private static func schedule(feed: Int, rate: Int, lead: Int) -> String {
        """
        create schema bench;
        alter table nudged.delivery add column recorded_at timestamptz default clock_timestamp();
        create table bench.clock as select now() + interval '\(lead) seconds' as base;
        create table bench.due as
        select user_id, case when n <= \(feed) then 0 else 1 + (n - \(feed) - 1) / \(burst) end as part,
            case when n <= \(feed) then base + n * interval '1 second' / \(rate) end as due_at
        from (select user_id, row_number() over () as n from nudged.person) p, bench.clock;
        truncate nudged.person;
        insert into nudged.person (user_id, due_at)
        select user_id, coalesce(due_at, now() + interval '1 day') from bench.due;
        create index on bench.due (part, user_id);
        create index on bench.due (user_id);
        analyze bench.due;
        analyze nudged.person;
        """
    }

    // MARK: Measuring

    /// Users per second, from the commit that makes the burst due to the last row of the record.
    private func measureBurst(_ part: Int, _ bench: Workbench) async throws -> Double {
        try bench.sql(
            """
            update nudged.person p set due_at = date_trunc('second', now()) from bench.due b where b.part = \(part) and b.user_id = p.user_id;
            update bench.due set due_at = clock_timestamp() where part = \(part)
            """,
            within: .seconds(300)
        )
        try await wait(for: part, bench)
        let span = try bench.sql(
            """
            select extract(epoch from max(d.recorded_at) - min(b.due_at))
            from bench.due b join nudged.delivery d using (user_id) where b.part = \(part)
            """
        )
        return Double(Self.burst) / max(Double(span.trimmed) ?? 0, 0.001)
    }

    private func wait(for part: Int, _ bench: Workbench) async throws {
        let limit = ContinuousClock.now + .seconds(max(300, seconds))
        let isLeft = """
            select exists (
                select from bench.due b where b.part = \(part)
                    and not exists (select from nudged.person p where p.user_id = b.user_id and p.evaluated_at is not null)
            )
            """
        while try bench.sql(isLeft).trimmed == "t" {
            guard ContinuousClock.now < limit else { throw ValidationError("part \(part) is not served") }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Dead rows, and the bytes of the table and of its queue's index.
    private static let sizes = """
        select pg_stat_get_dead_tuples('nudged.person'::regclass), pg_relation_size('nudged.person'),
            pg_relation_size('nudged.person_due')
        """

    // MARK: The report

    private func report(_ bench: Workbench, _ samples: [(busy: Double, sizes: [String])], _ bursts: [Double]) throws {
        let lines = try bench.sql(
            """
            select count(*), round(1000 * percentile_cont(0.5) within group (order by late)),
                round(1000 * percentile_cont(0.95) within group (order by late)), round(1000 * max(late))
            from (
                select extract(epoch from d.recorded_at - b.due_at) as late,
                    least(floor(extract(epoch from b.due_at - c.base) / \(Self.window)), \(samples.count - 1)) as line
                from bench.due b join nudged.delivery d using (user_id), bench.clock c where b.part = 0
            ) x group by line order by line
            """
        ).split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
        let minutes = zip(lines, samples).map { line, sample in
            #"{"users_per_second":\#((Double(line[0]) ?? 0) / Double(Self.window)),"median_ms":\#(line[1]),"p95_ms":\#(line[2]),"max_ms":\#(line[3]),"#
                + #""busy_percent":\#(sample.busy.text(1)),"dead_rows":\#(sample.sizes[0]),"person_bytes":\#(sample.sizes[1]),"index_bytes":\#(sample.sizes[2])}"#
        }
        let texts = bursts.map { $0.text(0) }
        print(
            #"{"seconds":\#(seconds),"rate":\#(rate),"held":true,"windows":[\#(minutes.joined(separator: ","))],"#
                + #""possible_before":\#(texts[0]),"possible_first":\#(texts[1]),"possible_last":\#(texts[2]),"ratio":\#((bursts[2] / bursts[1]).text(3))}"#
        )
    }
}

extension String {
    var trimmed: String { hasSuffix("\n") ? String(dropLast()) : self }
}
