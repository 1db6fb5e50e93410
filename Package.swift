// swift-tools-version: 6.2

import PackageDescription

/// `address` or `thread` where `scripts/sanitize` builds.
let sanitizer = Context.environment["NUDGED_SANITIZE"]

/// The fuzzers see nothing without marks on every edge. SwiftPM's `--sanitize` passes the kinds one by one, and the last one's marks are
/// not libFuzzer's: hence flags. The fuzzers drive a session from the inside, in a release build: hence `-enable-testing`.
let isFuzzing = Context.environment["NUDGED_FUZZ"] != nil
let coverage: [SwiftSetting] =
    isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])] : []

/// Every target of ours: Swift 6 mode, warnings are errors, imports are internal unless said otherwise.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
    ] + coverage + (sanitizer == "thread" ? [.define("SANITIZE_THREAD")] : [])

/// A system C library: found by pkg-config, installed on Debian by `scripts/dependencies`.
func system(_ name: String, _ pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func executable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// What tests, demo and benchmarks are made of: no product of ours that ships depends on it.
func workbench(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Workbench/\(name)", swiftSettings: strict)
}

func workbenchExecutable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Workbench/\(name)", swiftSettings: strict)
}

func tests(
    _ subject: String,
    of module: String? = nil,
    _ dependencies: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(subject)Tests",
        dependencies: [.byName(name: module ?? subject)] + dependencies,
        exclude: exclude,
        swiftSettings: strict
    )
}

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

// The order is the direction of imports: a target may depend only on those above it.
let package = Package(
    name: "nudged",
    // What NudgedKit needs of Apple's systems. The rest is for Linux.
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    // For apps: the executables need no product here.
    products: [
        .library(name: "NudgedKit", targets: ["NudgedKit"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
    ],
    targets: [
        system("CLibPQ", "libpq", apt: "libpq-dev"),
        system("CNGHTTP2", "libnghttp2", apt: "libnghttp2-dev"),
        system("COpenSSL", "openssl", apt: "libssl-dev"),
        // Not linked, but loaded where a call is to be made.
        .systemLibrary(name: "CLibCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        system("CLibYAML", "yaml-0.1", apt: "libyaml-dev"),
        // What Swift's Glibc module does not show: macros, and functions that need _GNU_SOURCE.
        .systemLibrary(name: "CLinux"),
        // The heap of programs that sweep: jemalloc, and its settings in C.
        .target(
            name: "Allocator",
            cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("jemalloc")]
        ),
        library("Base", ["CLinux"]),
        library("JSON", []),
        library("NudgedPreferences", ["JSON"]),
        library("NudgedKit", ["JSON", "NudgedPreferences"]),
        library("YAML", ["CLibYAML"]),
        library("TimeZones", ["NudgedPreferences"]),
        library("Policy", ["Base", "JSON", "NudgedPreferences", "TimeZones"]),
        library("Postgres", ["Base", "CLibPQ"]),
        library("OpenSSL", ["Base", "COpenSSL"]),
        library("HTTP2", ["Base", "CNGHTTP2", "OpenSSL"]),
        library("APNs", ["Base", "JSON", "OpenSSL", "HTTP2"]),
        library("HTTPClient", ["Base", "CLibCurl", "OpenSSL"]),
        // C, which embeds the files of `sql/`.
        .target(name: "SQLFiles", cSettings: [.treatAllWarnings(as: .error)]),
        // C, which embeds `systemd/nudged.catalog`, and the style sheet of the report.
        .target(name: "Catalog", exclude: ["report.css"], cSettings: [.treatAllWarnings(as: .error)]),
        library("Systemd", ["Base", "Catalog", "CLinux"]),
        library("Metrics", ["Base"]),
        library(
            "Configuration",
            ["Base", "JSON", "NudgedPreferences", "YAML", "Policy", "APNs", "Systemd", "Metrics"]
        ),
        // What the project is for, in three folders: Store, Planning and Delivery. `scripts/imports` checks their order.
        library(
            "Core",
            [
                "Base", "JSON", "NudgedPreferences", "TimeZones", "Policy", "Postgres", "SQLFiles", "APNs",
                "HTTPClient",
                "Systemd", "Configuration",
            ]
        ),
        library(
            "Service",
            [
                "Base", "JSON", "TimeZones", "Policy", "Postgres", "OpenSSL", "APNs", "HTTPClient", "Core", "Systemd",
                "Metrics", "Configuration",
            ]
        ),
        library(
            "Operator",
            [
                "Base", "JSON", "NudgedPreferences", "TimeZones", "Policy", "Postgres", "OpenSSL", "HTTP2", "APNs",
                "HTTPClient", "Catalog", "Core", "Systemd", "Metrics", "Configuration", "Service",
            ]
        ),
        executable(
            "nudged",
            [
                "Allocator", "Base", "TimeZones", "Policy", "Systemd", "Configuration", "Core", "Service", "Operator",
                argumentParser,
            ]
        ),
        workbench("Seeded", []),
        workbench("Certificates", ["COpenSSL", "OpenSSL"]),
        workbench("HTTP2Server", ["Base", "CNGHTTP2", "OpenSSL", "Certificates", "HTTP2"]),
        workbench("APNsSimulator", ["Base", "JSON", "OpenSSL", "Certificates", "HTTP2", "HTTP2Server"]),
        // The simulated Apple as a command. It is in the package, beside nudged.
        workbenchExecutable(
            "nudged-apple",
            ["Base", "JSON", "Certificates", "APNsSimulator", argumentParser]
        ),
        workbench("LocalPostgres", ["CLinux", "CLibPQ"]),
        workbench("Chaos", ["Base", "Seeded", "OpenSSL", "APNs", "HTTP2Server", "APNsSimulator"]),
        workbench(
            "Faults",
            [
                "Base", "Seeded", "JSON", "TimeZones", "Policy", "Postgres", "Core", "APNsSimulator", "LocalPostgres",
            ]
        ),
        workbench(
            "Demo",
            [
                "Seeded", "JSON", "TimeZones", "Postgres", "Core", "Systemd", "Configuration", "Service",
                "APNsSimulator", "LocalPostgres",
            ]
        ),
        workbenchExecutable("nudged-demo", ["Allocator", "Demo", argumentParser]),
        workbenchExecutable(
            "nudged-bench",
            [
                "Allocator", "Base", "Seeded", "JSON", "NudgedPreferences", "TimeZones", "Policy", "Postgres",
                "OpenSSL",
                "Certificates", "APNs", "Core", "Systemd", "Configuration", "Service", "Operator", "LocalPostgres",
                "Chaos", "Faults", argumentParser,
            ]
        ),
        // The part of the sample app that needs no screen, for tests. scripts/try-examples builds all of it.
        .target(
            name: "Supabase",
            path: "Examples/Interfaces",
            exclude: ["AppKit.swift", "Combine.swift", "SwiftUI.swift", "UIKit.swift", "UserNotifications.swift"],
            swiftSettings: strict
        ),
        .target(
            name: "NudgedSample",
            dependencies: ["NudgedKit", "Supabase"],
            path: "Examples/NudgedSample",
            exclude: ["HomeView.swift", "SampleApp.swift"],
            swiftSettings: strict
        ),
        // What several test targets share: seeds, generated keys, a server of https.
        .target(
            name: "TestSupport",
            dependencies: ["Base", "Seeded", "COpenSSL", "OpenSSL", "Certificates"],
            path: "Tests/Support",
            swiftSettings: strict
        ),
        tests("Base"),
        tests("JSON", ["Seeded", "TestSupport"]),
        tests("NudgedKit", ["Seeded", "JSON", "TestSupport"]),
        tests("YAML", ["Seeded", "TestSupport"]),
        tests("TimeZones", ["NudgedPreferences", "Seeded", "TestSupport"]),
        tests(
            "Policy",
            ["Seeded", "JSON", "NudgedPreferences", "TimeZones", "TestSupport"],
            exclude: ["Fixtures"]
        ),
        tests("Postgres", ["LocalPostgres", "TestSupport"]),
        tests("LocalPostgres", ["TestSupport"]),
        tests("OpenSSL", ["COpenSSL", "Certificates", "TestSupport"]),
        tests("HTTP2", ["Seeded", "CNGHTTP2", "OpenSSL", "Certificates", "HTTP2Server", "TestSupport"]),
        tests(
            "APNs",
            [
                "Base", "Seeded", "JSON", "NudgedKit", "OpenSSL", "HTTP2", "HTTP2Server", "COpenSSL", "Certificates",
                "APNsSimulator", "TestSupport",
            ]
        ),
        tests("HTTPClient", ["CLibCurl", "Seeded", "LocalPostgres", "TestSupport"]),
        tests("APNsSimulator", ["HTTP2Server"]),
        tests("Chaos", ["APNs", "TestSupport"]),
        tests("Faults", ["nudged", "TestSupport"]),
        tests("Systemd", ["Base"]),
        tests("Metrics", ["Base", "Seeded", "TestSupport"]),
        tests(
            "Store",
            of: "Core",
            [
                "Base", "Seeded", "APNs", "LocalPostgres", "NudgedKit", "NudgedPreferences", "NudgedSample", "Policy",
                "Postgres", "Supabase", "TimeZones", "TestSupport",
            ]
        ),
        // Users and configurations as several test targets need them.
        .target(
            name: "Fixtures",
            dependencies: ["Policy", "Core", "TimeZones", "Configuration"],
            path: "Tests/Fixtures",
            swiftSettings: strict
        ),
        tests("Configuration", ["Base", "JSON", "YAML", "Policy", "Systemd", "Seeded", "TestSupport", "Fixtures"]),
        tests(
            "Planning",
            of: "Core",
            [
                "Base",
                "JSON", "NudgedPreferences", "NudgedKit", "TimeZones", "Policy", "APNs", "Configuration", "Seeded",
                "TestSupport", "Fixtures",
            ]
        ),
        tests(
            "Delivery",
            of: "Core",
            ["JSON", "TimeZones", "Policy", "Seeded", "Fixtures", "TestSupport"]
        ),
        tests(
            "Service",
            [
                "Base",
                "TimeZones", "Policy", "Postgres", "APNs", "Core", "Systemd", "Metrics", "Configuration",
                "LocalPostgres", "TestSupport", "Fixtures",
            ]
        ),
        tests(
            "Operator",
            [
                "JSON", "NudgedPreferences", "TimeZones", "Policy", "HTTP2", "APNs", "Postgres", "Core", "Systemd",
                "Configuration", "Service", "Seeded", "TestSupport", "Fixtures",
            ]
        ),
        tests(
            "Demo",
            [
                "JSON", "TimeZones", "Postgres", "Core", "Systemd", "Service", "Operator",
                "LocalPostgres", "TestSupport",
            ]
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "nudged", "nudged-apple", "Seeded", "JSON", "TimeZones", "Postgres", "APNsSimulator",
                "LocalPostgres", "TestSupport", "Configuration", "Policy", "Core", "Service", "Operator",
            ],
            exclude: ["Transcripts"],
            swiftSettings: strict
        ),
    ]
)

/// What the fuzzers' targets read.
let fuzzed: [Target.Dependency] = [
    "Base", "JSON", "NudgedPreferences", "NudgedKit", "YAML", "TimeZones", "Policy", "CLibPQ", "Postgres", "HTTP2",
    "APNs",
    "Core", "Metrics", "Configuration", "Fixtures",
]

// The fuzzers are no part of an ordinary build: `scripts/fuzz` asks for them, in a build folder of their own. An
// ordinary build has a test that replays their first inputs.
if isFuzzing {
    package.targets.append(
        .executableTarget(
            name: "nudged-fuzz",
            dependencies: fuzzed,
            path: "Fuzz",
            exclude: ["ReplayTests.swift"],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]
        )
    )
} else if sanitizer == nil {
    package.targets.append(
        .testTarget(
            name: "FuzzTests",
            dependencies: fuzzed + ["Seeded", "TestSupport"],
            path: "Fuzz",
            exclude: ["FuzzEntry.swift"],
            swiftSettings: strict
        )
    )
}

// Under a sanitizer only the sender's and the simulator's side is built: the rest is what surrounds a database.
if sanitizer != nil {
    let left = [
        "YAML", "TimeZones", "Policy", "Postgres", "SQLFiles", "Core", "Configuration",
        "Service", "Operator", "LocalPostgres", "Demo", "Faults",
    ]
    let names = Set(
        left + ["StoreTests", "PlanningTests", "DeliveryTests"] + left.map { $0 + "Tests" } + [
            "nudged", "nudged-bench", "nudged-demo", "Fixtures", "IntegrationTests",
        ]
    )
    package.targets.removeAll { names.contains($0.name) }
}
