// swift-tools-version: 6.0

// For apps that are built with Swift 6.0 or 6.1 (Xcode 16): NudgedKit alone. Swift 6.2 reads Package.swift.

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "nudged",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "NudgedKit", targets: ["NudgedKit"])
    ],
    targets: [
        .target(name: "JSON", swiftSettings: strict),
        .target(name: "NudgedPreferences", dependencies: ["JSON"], swiftSettings: strict),
        .target(name: "NudgedKit", dependencies: ["JSON", "NudgedPreferences"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
