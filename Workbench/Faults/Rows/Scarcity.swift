import Glibc
import LocalPostgres

extension Fault {
    private static let wide = Scenery(inFlight: 1_000, batch: 1_000)

    static let scarcity = Fault(
        name: "scarcity",
        obstacle: { access("/usr/bin/prlimit", X_OK) == 0 ? nil : "needs prlimit (util-linux)" }
    ) { plan in
        [
            plan.round("64 descriptors", users: 150) { stage in
                let few = try stage.service(wrapper: ["prlimit", "--nofile=63:63"])
                try await stage.ends(few, by: 78, "63 descriptors")
                // Descriptors that a parent leaves open count too.
                let inheriting = try stage.service(
                    wrapper: [
                        "prlimit", "--nofile=84:84", "bash", "-c",
                        "for i in $(seq 10 30); do eval \"exec $i</dev/null\"; done; exec \"$0\" \"$@\"",
                    ]
                )
                try await stage.ends(inheriting, by: 78, "21 of 84 descriptors inherited")
                let process = try stage.service(wrapper: ["prlimit", "--nofile=64:64"])
                try await stage.awaitIdle()
                // A reload opens files again, so it needs descriptors too.
                process.signal(SIGHUP)
                try await stage.awaitLine("were read again", of: process)
                try await stage.stop(process)
            },
            plan.round("1 GB of addresses", users: plan.pick(quick: 2_000, full: 40_000), scenery: Self.wide) { stage in
                let process = try stage.service(wrapper: ["prlimit", "--as=1073741824"])
                try await stage.awaitIdle()
                let status = TextFile.read("/proc/\(process.id)/status") ?? ""
                let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
                stage.note("\(stage.population.people.count) users: \(line.filter { $0.isNumber }) kB resident at most")
                try await stage.stop(process)
            },
        ]
    }
}
