// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Sightline",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Sightline", targets: ["Sightline"]),
        .library(name: "SightlineMedia", targets: ["SightlineMedia"]),
        .library(name: "TensorFlowLite", targets: ["TensorFlowLite"]),
        .executable(name: "sightline", targets: ["SightlineCLI"]),
    ],
    dependencies: [
        // The command line: sub-commands, typed options, --help, shell completions.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // SHA-256 of downloaded models.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        // The functions of the LiteRT C library that we call, found with dlopen.
        .target(name: "CLiteRT"),
        // The functions of libcurl that downloads need, found with dlopen.
        .target(name: "CCurl"),
        // libjpeg-turbo, libpng and libwebp behind shims that turn their long jumps into return codes.
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CPNG", linkerSettings: [.linkedLibrary("png")]),
        .target(name: "CWebP", linkerSettings: [.linkedLibrary("webp"), .linkedLibrary("webpdemux")]),
        // The functions of FFmpeg's libraries that video needs, found with dlopen.
        .target(name: "CFFmpeg"),
        // zlib inflates the files that a model's metadata packs into it.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // Cairo draws boxes and text on pictures.
        .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"]), .brew(["cairo"])]),

        .target(name: "TensorFlowLite", dependencies: ["CLiteRT", "CZlib"]),
        .target(
            name: "Sightline",
            dependencies: ["TensorFlowLite", "CJPEG", "CPNG", "CWebP"],
            // The built-in models; whoever installs the command installs this bundle beside it.
            resources: [.process("Resources")]
        ),
        .target(name: "SightlineMedia", dependencies: ["Sightline", "CCairo", "CFFmpeg", "CJPEG", "CPNG"]),
        // Public models by name: the catalogue, and what installs them.
        .target(
            name: "ModelCatalog",
            dependencies: ["Sightline", "TensorFlowLite", "CCurl", .product(name: "Crypto", package: "swift-crypto")],
            resources: [.embedInCode("catalogue.json")]
        ),
        .executableTarget(
            name: "SightlineCLI",
            dependencies: [
                "Sightline", "SightlineMedia", "TensorFlowLite", "ModelCatalog",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // Where tests find fixtures, real data and the built command.
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        // What Scripts/fuzz-models drives: loads and runs the models that it is told on standard input.
        .executableTarget(name: "ModelProbe", dependencies: ["TensorFlowLite"], path: "Tests/ModelProbe"),
        // What Scripts/fuzz-images drives: decodes the pictures that it is told on standard input.
        .executableTarget(name: "ImageProbe", dependencies: ["Sightline"], path: "Tests/ImageProbe"),
        // What Scripts/fuzz-videos drives, and what tests kill: reads and writes videos as it is told.
        .executableTarget(name: "VideoProbe", dependencies: ["SightlineMedia"], path: "Tests/VideoProbe"),
        .testTarget(name: "TensorFlowLiteTests", dependencies: ["TensorFlowLite", "TestSupport"]),
        .testTarget(name: "SightlineTests", dependencies: ["Sightline", "TestSupport"]),
        .testTarget(name: "SightlineMediaTests", dependencies: ["SightlineMedia", "TestSupport", "VideoProbe"]),
        .testTarget(name: "ModelCatalogTests", dependencies: ["ModelCatalog", "TestSupport"]),
        .testTarget(
            name: "SightlineCLITests",
            dependencies: ["SightlineCLI", "Sightline", "SightlineMedia", "ModelCatalog", "TestSupport"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
