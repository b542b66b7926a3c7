// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Sightline",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Sightline", targets: ["Sightline"]),
        .library(name: "SightlineMedia", targets: ["SightlineMedia"]),
        .library(name: "TensorFlowLite", targets: ["TensorFlowLite"]),
        .library(name: "SightlineEvaluation", targets: ["SightlineEvaluation"]),
        .library(name: "ModelHub", targets: ["ModelHub"]),
        .library(name: "ModelHubServer", targets: ["ModelHubServer"]),
        // ML Kit's names. One product, since a program links only what it uses: with it `import MLKit` works, and so does each
        // of the modules by itself.
        .library(
            name: "MLKit",
            targets: [
                "MLKit", "MLImage", "MLKitCommon", "MLKitImageLabeling",
                "MLKitImageLabelingCommon", "MLKitImageLabelingCustom", "MLKitLinkFirebase", "MLKitObjectDetection",
                "MLKitObjectDetectionCommon", "MLKitObjectDetectionCustom", "MLKitVision", "ModelHubApp",
            ]
        ),
        // For the package of Firebase's names, in the folder Firebase, and for its tests.
        .library(name: "FacadeSupport", targets: ["FacadeSupport", "ModelHubApp"]),
        .library(name: "HubTestSupport", targets: ["HubTestSupport", "SightlineTestSupport"]),
        .executable(name: "sightline", targets: ["SightlineCLI"]),
        .executable(name: "sightline-hub", targets: ["SightlineHub"]),
    ],
    dependencies: [
        // The command line: sub-commands, typed options, --help, shell completions.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // SHA-256 of downloaded models.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // The hub: HTTP/1.1 server, routes, middleware; and in its tests a client of them.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        // The hub: files sent without copies, timers, and TLS from certificate files.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // Downloads from hubs whose certificates are of their own making.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // The hub: names of header fields in the currency of Hummingbird.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // The hub: the pages of its console, from templates that escape what they show.
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        // The hub: its metadata in SQLite.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // The hub: structured logs, counters and timings, start and stop in order.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Downloads from hubs; and the hub's command line, which speaks to hubs elsewhere and to Firebase when it imports.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // The functions of the LiteRT C library that we call, found with dlopen.
        .target(name: "CLiteRT", path: "Sources/C/CLiteRT"),
        // The functions of libcurl that downloads need, found with dlopen.
        .target(name: "CCurl", path: "Sources/C/CCurl"),
        // libjpeg-turbo, libpng and libwebp behind shims that turn their long jumps into return codes.
        .target(name: "CJPEG", path: "Sources/C/CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CPNG", path: "Sources/C/CPNG", linkerSettings: [.linkedLibrary("png")]),
        .target(
            name: "CWebP",
            path: "Sources/C/CWebP",
            linkerSettings: [.linkedLibrary("webp"), .linkedLibrary("webpdemux")]
        ),
        // The functions of FFmpeg's libraries that video needs, found with dlopen.
        .target(name: "CFFmpeg", path: "Sources/C/CFFmpeg"),
        // Takes rights away from processes that read what strangers sent.
        .target(name: "CSandbox", path: "Sources/C/CSandbox"),
        // zlib inflates the files that a model's metadata packs into it.
        .systemLibrary(
            name: "CZlib",
            path: "Sources/C/CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        // Cairo draws boxes and text on pictures.
        .systemLibrary(
            name: "CCairo",
            path: "Sources/C/CCairo",
            pkgConfig: "cairo",
            providers: [.apt(["libcairo2-dev"]), .brew(["cairo"])]
        ),

        .target(name: "TensorFlowLite", dependencies: ["CLiteRT", "CZlib"]),
        .target(
            name: "Sightline",
            dependencies: ["TensorFlowLite", "CJPEG", "CPNG", "CWebP"],
            // The built-in models; whoever installs the command installs this bundle beside it.
            resources: [.process("Resources")]
        ),
        .target(name: "SightlineMedia", dependencies: ["Sightline", "CCairo", "CFFmpeg", "CJPEG", "CPNG"]),
        // Says how good a model is on pictures whose labels or boxes are known.
        .target(
            name: "SightlineEvaluation",
            dependencies: [
                "CommandOutput", "Sightline", "SightlineMedia", "TensorFlowLite",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        // Public models by name: the catalogue, and what installs them.
        .target(
            name: "ModelCatalog",
            dependencies: ["Sightline", "TensorFlowLite", "CCurl", .product(name: "Crypto", package: "swift-crypto")],
            resources: [.embedInCode("catalogue.json")]
        ),
        // Downloads models from a hub and keeps them.
        .target(
            name: "ModelHub",
            dependencies: [
                "Sightline", "TensorFlowLite",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        // The program's hub, for names that know one app in a program: those of ML Kit and Firebase.
        .target(name: "ModelHubApp", dependencies: ["ModelHub"], path: "Sources/Facades/ModelHubApp"),
        // What the hub's processes may do that read uploaded models and pictures.
        .target(name: "ProcessSandbox", dependencies: ["CSandbox"]),
        // The server that hosts models and ships them to clients, compatible with Firebase ML on the wire.
        .target(
            name: "ModelHubServer",
            dependencies: [
                "CZlib", "SightlineEvaluation", "Sightline", "TensorFlowLite",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            // The console's templates, style and script.
            resources: [.embedInCode("Console/Resources")]
        ),
        // The facades: ML Kit's names here, and Firebase's in a package of their own (Firebase/Package.swift), on what is above. This
        // is what both have in common.
        .target(
            name: "FacadeSupport",
            dependencies: ["ModelHub", "ModelHubApp", "Sightline", "TensorFlowLite"],
            path: "Sources/Facades/FacadeSupport"
        ),
        // ML Kit, module by module as its pods have them, and the umbrella that gives all of them.
        .target(
            name: "MLImage",
            dependencies: ["FacadeSupport", "Sightline"],
            path: "Sources/Facades/MLImage"
        ),
        .target(
            name: "MLKitCommon",
            dependencies: ["FacadeSupport", "ModelHub", "ModelHubApp", "Sightline"],
            path: "Sources/Facades/MLKitCommon"
        ),
        .target(
            name: "MLKitVision",
            dependencies: ["FacadeSupport", "MLImage", "MLKitCommon", "Sightline"],
            path: "Sources/Facades/MLKitVision"
        ),
        .target(
            name: "MLKitObjectDetectionCommon",
            dependencies: ["FacadeSupport", "MLKitCommon", "MLKitVision", "Sightline"],
            path: "Sources/Facades/MLKitObjectDetectionCommon"
        ),
        .target(
            name: "MLKitObjectDetection",
            dependencies: ["FacadeSupport", "MLKitObjectDetectionCommon"],
            path: "Sources/Facades/MLKitObjectDetection"
        ),
        .target(
            name: "MLKitObjectDetectionCustom",
            dependencies: ["FacadeSupport", "MLKitCommon", "MLKitObjectDetectionCommon"],
            path: "Sources/Facades/MLKitObjectDetectionCustom"
        ),
        .target(
            name: "MLKitImageLabelingCommon",
            dependencies: ["FacadeSupport", "MLKitCommon", "MLKitVision", "Sightline"],
            path: "Sources/Facades/MLKitImageLabelingCommon"
        ),
        .target(
            name: "MLKitImageLabeling",
            dependencies: ["FacadeSupport", "MLKitImageLabelingCommon"],
            path: "Sources/Facades/MLKitImageLabeling"
        ),
        .target(
            name: "MLKitImageLabelingCustom",
            dependencies: ["FacadeSupport", "MLKitCommon", "MLKitImageLabelingCommon"],
            path: "Sources/Facades/MLKitImageLabelingCustom"
        ),
        .target(
            name: "MLKitLinkFirebase",
            dependencies: ["MLKitCommon", "ModelHubApp"],
            path: "Sources/Facades/MLKitLinkFirebase"
        ),
        .target(
            name: "MLKit",
            dependencies: [
                "MLImage", "MLKitCommon", "MLKitImageLabeling", "MLKitImageLabelingCommon",
                "MLKitImageLabelingCustom", "MLKitLinkFirebase", "MLKitObjectDetection", "MLKitObjectDetectionCommon",
                "MLKitObjectDetectionCustom", "MLKitVision",
            ],
            path: "Sources/Facades/MLKit"
        ),
        // Tables and text for terminals, which both commands print.
        .target(name: "CommandOutput"),
        .executableTarget(
            name: "SightlineCLI",
            dependencies: [
                "Sightline", "SightlineMedia", "TensorFlowLite", "ModelCatalog", "CommandOutput", "SightlineEvaluation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // `sightline hub`, a program of its own: linking a server would slow down the start of every other command.
        .executableTarget(
            name: "SightlineHub",
            dependencies: [
                "ModelHub", "ModelHubServer", "CommandOutput", "SightlineEvaluation", "ProcessSandbox", "Sightline",
                "SightlineMedia",
                "TensorFlowLite",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // Where tests find fixtures, real data and the built command.
        .target(name: "SightlineTestSupport", path: "Tests/TestSupport"),
        // Hubs on loopback for tests of clients, and the process's hub.
        .target(
            name: "HubTestSupport",
            dependencies: [
                "ModelHub", "ModelHubApp", "ModelHubServer", "SightlineTestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/HubTestSupport"
        ),
        // What Scripts/fuzz-models drives: loads and runs the models that it is told on standard input.
        .executableTarget(name: "ModelProbe", dependencies: ["TensorFlowLite"], path: "Tests/ModelProbe"),
        // What Scripts/fuzz-images drives: decodes the pictures that it is told on standard input.
        .executableTarget(name: "ImageProbe", dependencies: ["Sightline"], path: "Tests/ImageProbe"),
        // What Scripts/fuzz-videos drives, and what tests kill: reads and writes videos as it is told.
        .executableTarget(name: "VideoProbe", dependencies: ["SightlineMedia"], path: "Tests/VideoProbe"),
        // What tests run to see what a sandbox forbids.
        .executableTarget(name: "SandboxProbe", dependencies: ["ProcessSandbox"], path: "Tests/SandboxProbe"),
        // What tests and Scripts/kill-download kill: downloads models as it is told.
        .executableTarget(name: "DownloadProbe", dependencies: ["ModelHub"], path: "Tests/DownloadProbe"),
        // What tests run to see callbacks in a program with a run loop.
        .executableTarget(name: "CallbackProbe", dependencies: ["MLKit", "Sightline"], path: "Tests/CallbackProbe"),
        .testTarget(
            name: "TensorFlowLiteTests",
            dependencies: ["ModelProbe", "TensorFlowLite", "SightlineTestSupport"]
        ),
        .testTarget(name: "SightlineTests", dependencies: ["Sightline", "SightlineTestSupport"]),
        .testTarget(
            name: "SightlineMediaTests",
            dependencies: ["SightlineMedia", "SightlineTestSupport", "VideoProbe"]
        ),
        .testTarget(
            name: "EvaluationTests",
            dependencies: [
                "SightlineEvaluation", "Sightline", "SightlineMedia", "TensorFlowLite", "SightlineTestSupport",
            ]
        ),
        .testTarget(name: "ModelCatalogTests", dependencies: ["ModelCatalog", "SightlineTestSupport"]),
        .testTarget(
            name: "ModelHubTests",
            dependencies: [
                "DownloadProbe", "HubTestSupport", "ModelHub", "ModelHubServer", "Sightline", "SightlineTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "MLKitTests",
            dependencies: [
                "CallbackProbe", "FacadeSupport", "HubTestSupport", "MLKit", "ModelHub", "ModelHubApp", "Sightline",
                "TensorFlowLite", "SightlineTestSupport",
            ]
        ),
        // Code as it was written for Swift 5, to see that it still compiles.
        .testTarget(
            name: "MLKitSwift5Tests",
            dependencies: ["MLKit", "SightlineTestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "ModelHubServerTests",
            dependencies: [
                "CZlib", "HubTestSupport", "ModelHubServer", "ProcessSandbox", "SandboxProbe", "Sightline",
                "SightlineHub",
                "SightlineMedia",
                "TensorFlowLite", "SightlineTestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "SightlineCLITests",
            dependencies: [
                "SightlineCLI", "CommandOutput", "Sightline", "SightlineMedia", "ModelCatalog", "SightlineTestSupport",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
