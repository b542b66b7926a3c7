// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "SightlineExamples",
    platforms: [.macOS(.v15)],
    // All traits, as in the root package, so that both share what they compile.
    dependencies: [.package(name: "Sightline", path: "..")],
    targets: [
        .executableTarget(name: "label-picture", dependencies: [.product(name: "Sightline", package: "Sightline")]),
        // Examples/ab-test runs this program.
        .executableTarget(
            name: "flower-app",
            dependencies: [
                .product(name: "ModelHub", package: "Sightline"),
                .product(name: "Sightline", package: "Sightline"),
            ]
        ),
        .executableTarget(name: "detect-in-folder", dependencies: [.product(name: "Sightline", package: "Sightline")]),
        .executableTarget(
            name: "camera-loop",
            dependencies: [
                .product(name: "Sightline", package: "Sightline"),
                .product(name: "SightlineMedia", package: "Sightline"),
            ]
        ),
        .executableTarget(
            name: "raw-interpreter",
            dependencies: [
                .product(name: "Sightline", package: "Sightline"),
                .product(name: "TensorFlowLite", package: "Sightline"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
