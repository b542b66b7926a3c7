// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "SightlineBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The modules that are measured need no other package.
        .package(name: "Sightline", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // The peers are programs.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // Still pictures: the floor, Sightline and its peers in interleaved rounds.
        .executableTarget(
            name: "still-benchmarks",
            dependencies: [
                .product(name: "Sightline", package: "Sightline"),
                .product(name: "TensorFlowLite", package: "Sightline"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            path: "Sources/StillBenchmarks"
        ),
        // One run of a model on given bytes, for comparing outputs and as the base of memory figures.
        .executableTarget(
            name: "raw-invoke",
            dependencies: [.product(name: "TensorFlowLite", package: "Sightline")],
            path: "Sources/RawInvoke"
        ),
        // The tracker alone, over detections from files.
        .executableTarget(
            name: "tracking-benchmarks",
            dependencies: [
                .product(name: "Sightline", package: "Sightline"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/TrackingBenchmarks"
        ),
    ],
    swiftLanguageModes: [.v6]
)
