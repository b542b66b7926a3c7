// swift-tools-version: 6.1
import PackageDescription

// An app that labels a photo needs no package but this package; a server needs many. Each dependency therefore belongs to a trait, and
// SwiftPM resolves only the dependencies of the traits in use. All traits are on by default, so that `swift build`, `swift test` and
// Xcode build everything without a flag, and no source needs an `#if`. A client chooses less with `traits:`; CONTRIBUTING.md, "Packages",
// has the reasons and the figures.
let traits: Set<Trait> = [
    .default(enabledTraits: ["Commands", "Server"]),
    .trait(name: "Commands", description: "The command sightline."),
    .trait(name: "ModelHub", description: "Downloads from a hub: the products ModelHub and MLKit."),
    .trait(
        name: "Server",
        description: "The servers: the commands sightline-hub and sightline-serve.",
        enabledTraits: ["ModelHub", "Commands"]
    ),
]

extension Target.Dependency {
    /// A product that only the commands use.
    static func commands(_ product: String, in package: String) -> Self {
        .product(name: product, package: package, condition: .when(traits: ["Commands"]))
    }

    /// A product that downloads from a hub use, and the server too.
    static func modelHub(_ product: String, in package: String) -> Self {
        .product(name: product, package: package, condition: .when(traits: ["ModelHub"]))
    }

    /// A product that downloads from a hub use where there is no `URLSession` of Apple's.
    static func modelHubElsewhere(_ product: String, in package: String) -> Self {
        .product(
            name: product,
            package: package,
            condition: .when(platforms: [.linux, .android], traits: ["ModelHub"])
        )
    }

    /// A product that only the server uses.
    static func server(_ product: String, in package: String) -> Self {
        .product(name: product, package: package, condition: .when(traits: ["Server"]))
    }
}

/// The systems without frameworks of Apple.
let withoutApple: TargetDependencyCondition? = .when(platforms: [.linux, .android])
/// zlib as Apple's SDKs have it. Elsewhere CZlib's module map names it.
let appleZlib = LinkerSetting.linkedLibrary("z", .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .visionOS]))

/// A C library behind functions that Swift can call, in Sources/C.
func shim(_ name: String, libraries: [String] = [], loads: Bool = false) -> Target {
    .target(
        name: name,
        dependencies: loads ? ["CLoader"] : [],
        path: "Sources/C/\(name)",
        linkerSettings: libraries.map { .linkedLibrary($0) }
    )
}

/// A C library that Swift calls as it is; its module map lies in Sources/C.
func systemLibrary(_ name: String, pkgConfig: String, debian: String, homebrew: String) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/C/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt([debian]), .brew([homebrew])]
    )
}

/// A module with the name that it has in Google's SDKs.
func facade(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Facades/\(name)")
}

/// A program that tests or scripts run.
func probe(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(name)")
}

/// ML Kit, with the modules of its pods.
let mlKit = [
    facade("MLImage", ["FacadeSupport", "Sightline"]),
    facade("MLKitCommon", ["FacadeSupport", "ModelHub", "ModelHubApp", "Sightline"]),
    facade("MLKitVision", ["FacadeSupport", "MLImage", "MLKitCommon", "Sightline", "SightlineLocks"]),
    facade("MLKitObjectDetectionCommon", ["FacadeSupport", "MLKitCommon", "MLKitVision", "Sightline"]),
    facade("MLKitObjectDetection", ["FacadeSupport", "MLKitObjectDetectionCommon"]),
    facade("MLKitObjectDetectionCustom", ["FacadeSupport", "MLKitCommon", "MLKitObjectDetectionCommon"]),
    facade("MLKitImageLabelingCommon", ["FacadeSupport", "MLKitCommon", "MLKitVision", "Sightline"]),
    facade("MLKitImageLabeling", ["FacadeSupport", "MLKitImageLabelingCommon"]),
    facade("MLKitImageLabelingCustom", ["FacadeSupport", "MLKitCommon", "MLKitImageLabelingCommon"]),
    facade("MLKitFaceDetection", ["FacadeSupport", "MLKitCommon", "MLKitVision", "Sightline"]),
    facade("MLKitPoseDetectionCommon", ["FacadeSupport", "MLKitCommon", "MLKitVision", "Sightline"]),
    facade("MLKitPoseDetection", ["MLKitPoseDetectionCommon"]),
    facade("MLKitPoseDetectionAccurate", ["MLKitPoseDetectionCommon"]),
    facade("MLKitSegmentationCommon", ["FacadeSupport", "MLKitCommon", "MLKitVision"]),
    facade("MLKitSegmentationSelfie", ["MLKitSegmentationCommon"]),
    facade("MLKitLinkFirebase", ["MLKitCommon", "ModelHubApp"]),
]
let mlKitNames = mlKit.map(\.name).sorted()

/// The systems of Apple that an app needs. SwiftPM knows one number for all targets of a package, but the commands and the server, and
/// the packages below them, need macOS 15. A developer who builds those on a Mac sets SIGHTLINE_PROGRAMS, as the Makefile does.
let buildsPrograms = Context.environment["SIGHTLINE_PROGRAMS"] != nil
let platforms: [SupportedPlatform] = [buildsPrograms ? .macOS(.v15) : .macOS(.v13), .iOS(.v16)]

let package = Package(
    name: "Sightline",
    platforms: platforms,
    products: [
        .library(name: "Sightline", targets: ["Sightline"]),
        // Pictures without models: geometry, orientation, file formats.
        .library(name: "SightlineImages", targets: ["SightlineImages"]),
        .library(name: "SightlineMedia", targets: ["SightlineMedia"]),
        // Events that leave a program, over MQTT and webhooks.
        .library(name: "SightlineEvents", targets: ["SightlineEvents"]),
        .library(name: "TensorFlowLite", targets: ["TensorFlowLite"]),
        .library(name: "SightlineEvaluation", targets: ["SightlineEvaluation"]),
        // Models of one's own pictures.
        .library(name: "SightlineTraining", targets: ["SightlineTraining"]),
        // Public models by name.
        .library(name: "ModelCatalog", targets: ["ModelCatalog"]),
        .library(name: "SightlineTesting", targets: ["SightlineTesting"]),
        // With the parts that the package of Firebase's names, in the folder Firebase, has in common with ML Kit's.
        .library(name: "ModelHub", targets: ["ModelHub", "ModelHubApp", "FacadeSupport", "SightlineLocks"]),
        // A program links only the modules that it imports: `import MLKit` works, and so does each module by itself.
        .library(name: "MLKit", targets: ["MLKit", "MLKitObjectiveC", "ModelHubApp"] + mlKitNames),
        // For the tests of that package.
        .library(name: "HubTestSupport", targets: ["HubTestSupport", "SightlineTestSupport"]),
        .plugin(name: "FetchLiteRT", targets: ["FetchLiteRT"]),
        .executable(name: "sightline", targets: ["SightlineCLI"]),
        .executable(name: "sightline-hub", targets: ["HubCLI"]),
        .executable(name: "sightline-serve", targets: ["ServeCLI"]),
    ],
    traits: traits,
    dependencies: [
        // Commands. Subcommands, typed options, --help and shell completions.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Commands. The file of `sightline watch`, with the lines of its mistakes.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // ModelHub. Downloads over HTTP, with proxies, retries and streamed bodies.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // ModelHub, on Linux and Android. Signatures of models; on Apple's systems CryptoKit belongs to the system. An Ed25519 of our own
        // would be worse than any dependency, and this package is resolved with async-http-client's anyway. Server. SHA-256 of uploaded
        // models, signatures, and tests of the hub's client.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // ModelHub. The bytes and headers of downloads; the server also sends files without copies.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // ModelHub. Certificates of hubs that no public authority signed.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // Server. HTTP/1.1, routes and middleware; and a client of them for tests.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        // Server. The type that Hummingbird has for names of header fields.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // Server. The console's pages, from templates that escape values.
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        // Server. Metadata in SQLite.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Server. Structured logs.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // Server. Counters and timings.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // Server. Processes that read untrusted files, and the programs that tests run. Foundation's Process needs a thread for
        // each, and crashes a program that has about 1,360 open files.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        // Server. The paths that swift-subprocess takes.
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        // Server. Tokens of OpenID Connect providers: RSA, RSA-PSS and ECDSA with their keys as JSON (RFC 7515, RFC 7517). Signatures
        // of that many kinds, checked by code of our own, would be worse than a dependency that many servers have.
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        // Server. Start and stop in order.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Opens libraries with dlopen, and passes on the reason of a failure.
        shim("CLoader"),
        // The functions of the LiteRT C library that we call, found with dlopen.
        shim("CLiteRT", loads: true),
        // The functions of the ONNX Runtime library that we call, found with dlopen.
        shim("COnnxRuntime", loads: true),
        // The functions of libcurl that downloads, webhooks and MQTT need, found with dlopen.
        shim("CCurl"),
        // libjpeg-turbo, libpng and libwebp; their long jumps become return codes.
        shim("CJPEG", libraries: ["jpeg"]),
        shim("CPNG", libraries: ["png"]),
        shim("CWebP", libraries: ["webp", "webpdemux"]),
        // The functions of libheif that HEIC and AVIF need, found with dlopen.
        shim("CHEIF"),
        // The functions of FFmpeg's libraries that video needs, found with dlopen.
        shim("CFFmpeg", loads: true),
        // The functions of Cairo that drawing boxes and text needs, found with dlopen.
        shim("CCairo"),
        // The functions of libpq that a hub with PostgreSQL needs, found with dlopen.
        shim("CPostgres"),
        // System calls that take rights away from processes that read untrusted files.
        shim("CSandbox"),
        // SHA-256 for programs that need nothing else of a cryptographic library.
        shim("CSHA256"),
        // The constants of ML Kit's names for Objective-C.
        shim("MLKitObjectiveC"),
        // zlib inflates the files that a model's metadata packs into it, and TIFF pictures.
        systemLibrary("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev", homebrew: "zlib"),

        // A mutex for the systems of Apple that lack `Synchronization.Mutex`; elsewhere another name of it.
        .target(name: "SightlineLocks"),
        // Files that are there as a whole or not at all, partial files, locks, hashes, and the user's data folder.
        .target(name: "DurableFiles", dependencies: ["CSHA256", "SightlineLocks"]),
        .target(
            name: "TensorFlowLite",
            dependencies: [
                "CLiteRT", "DurableFiles", "SightlineLocks", .target(name: "CZlib", condition: withoutApple),
            ],
            // The release of LiteRT with its hashes.
            resources: [.embedInCode("Runtime/litert.txt")],
            linkerSettings: [appleZlib]
        ),
        // The second runtime, for .onnx files. Its reader walks Protocol Buffers itself: swift-protobuf would copy all weights and allocate
        // what a file claims before anything is checked, and would be a package that every app needs.
        .target(
            name: "OnnxRuntime",
            dependencies: ["COnnxRuntime", "SightlineLocks", "TensorFlowLite"],
            // The release of ONNX Runtime with its hashes.
            resources: [.embedInCode("Runtime/onnxruntime.txt")]
        ),
        // `swift package fetch-litert` installs LiteRT for the programs of a package.
        .plugin(
            name: "FetchLiteRT",
            capability: .command(
                intent: .custom(
                    verb: "fetch-litert",
                    description: "Install the LiteRT library for the programs of this package."
                ),
                permissions: [
                    .allowNetworkConnections(
                        scope: .all(ports: [443]),
                        reason: "The LiteRT library is downloaded from PyPI."
                    )
                ]
            ),
            dependencies: ["LiteRTFetcher"]
        ),
        .executableTarget(name: "LiteRTFetcher", dependencies: ["DurableFiles", "OnnxRuntime", "TensorFlowLite"]),
        // Pictures: geometry, pixels, orientation, and the file formats that are read and written. On Apple's systems Image I/O reads
        // what C libraries read elsewhere.
        .target(
            name: "SightlineImages",
            dependencies: ["DurableFiles"]
                + ["CHEIF", "CJPEG", "CPNG", "CWebP", "CZlib"].map {
                    .target(name: $0, condition: withoutApple)
                },
            linkerSettings: [appleZlib]
        ),
        .target(
            name: "Sightline",
            dependencies: ["DurableFiles", "OnnxRuntime", "SightlineImages", "SightlineLocks", "TensorFlowLite"],
            // The built-in models. An installation of the command has this bundle beside it.
            resources: [.process("Resources")]
        ),
        // Models and pictures for tests of programs that detect objects.
        .target(name: "SightlineTesting", dependencies: ["Sightline"], resources: [.process("Resources")]),
        .target(
            name: "SightlineMedia",
            dependencies: [
                "DurableFiles", "Sightline", "SightlineLocks", "TextFormatting", "CFFmpeg",
                .target(name: "CCairo", condition: withoutApple),
            ]
        ),
        // Events that leave a program, over MQTT and webhooks, with the queue that keeps them while their destination is away. No
        // package does that without SwiftNIO, which would slow down the start of every command. The packets of MQTT are read here:
        // libmosquitto ends the program at a property that it does not know, and has no limit for packets or for topics.
        .target(
            name: "SightlineEvents",
            dependencies: [
                "DurableFiles", "ModelHubProtocol", "Sightline", "SightlineLocks", "SightlineMedia",
                "TextFormatting", "WebTransfer",
            ]
        ),
        // The part of a page on which people draw lines and zones, for `sightline zones` and for the console.
        .target(name: "ZoneDrawing", resources: [.embedInCode("Page")]),
        // Measures models on pictures whose labels or boxes are known.
        .target(
            name: "SightlineEvaluation",
            dependencies: [
                "DurableFiles", "Sightline", "TensorFlowLite", "TextFormatting",
            ]
        ),
        // Fits the last layer of a model to pictures with labels, measures it, and writes the model.
        .target(
            name: "SightlineTraining",
            dependencies: [
                "DurableFiles", "Sightline", "SightlineEvaluation", "SightlineLocks", "TensorFlowLite",
            ]
        ),
        // The messages of hubs and their clients, and the rules by which files are transferred.
        .target(name: "ModelHubProtocol", dependencies: ["DurableFiles", "SightlineLocks"]),
        // Requests over HTTP, and connections, for programs without SwiftNIO: downloads of models, webhooks, and MQTT.
        .target(name: "WebTransfer", dependencies: ["CCurl"]),
        // Public models by name: the catalog, and their installation.
        .target(
            name: "ModelCatalog",
            dependencies: ["DurableFiles", "ModelHubProtocol", "Sightline", "TensorFlowLite", "WebTransfer"],
            resources: [.embedInCode("catalog.json"), .embedInCode("measurements.json")]
        ),
        // Downloads models from a hub and keeps them: over URLSession on Apple's systems, over AsyncHTTPClient elsewhere.
        .target(
            name: "ModelHub",
            dependencies: [
                "DurableFiles", "ModelHubProtocol", "Sightline", "SightlineLocks",
                .modelHubElsewhere("AsyncHTTPClient", in: "async-http-client"),
                .modelHubElsewhere("Crypto", in: "swift-crypto"),
                .modelHubElsewhere("NIOCore", in: "swift-nio"),
                .modelHubElsewhere("NIOHTTP1", in: "swift-nio"),
                .modelHubElsewhere("NIOPosix", in: "swift-nio"),
                .modelHubElsewhere("NIOSSL", in: "swift-nio-ssl"),
            ]
        ),
        // The one hub of a program, for ML Kit and Firebase: their names know one app in a program.
        facade("ModelHubApp", ["ModelHub", "SightlineLocks"]),
        // The limits of the hub's processes that read uploaded models and pictures.
        .target(name: "ProcessSandbox", dependencies: ["CSandbox"]),
        // The parts around Hummingbird that all servers of this package need: deadlines, limits, fair queues, metrics, errors. A
        // target of its own, because a server of answers must not depend on models' storage, databases and Firebase's formats.
        .target(
            name: "HTTPServing",
            dependencies: [
                "CZlib",
                .modelHub("AsyncHTTPClient", in: "async-http-client"),
                .server("Hummingbird", in: "hummingbird"),
                .server("HummingbirdCore", in: "hummingbird"),
                .server("HummingbirdTLS", in: "hummingbird"),
                .server("HTTPTypes", in: "swift-http-types"),
                .modelHub("NIOCore", in: "swift-nio"),
                .modelHub("NIOPosix", in: "swift-nio"),
                .modelHub("NIOHTTP1", in: "swift-nio"),
                .server("Logging", in: "swift-log"),
                .server("Metrics", in: "swift-metrics"),
                .server("ServiceLifecycle", in: "swift-service-lifecycle"),
            ]
        ),
        // The server that hosts models and ships them to clients, compatible with Firebase ML on the wire.
        .target(
            name: "ModelHubServer",
            dependencies: [
                "CPostgres", "DurableFiles", "HTTPServing", "ModelHubProtocol", "SightlineEvaluation", "Sightline",
                "TensorFlowLite", "TextFormatting", "ZoneDrawing",
                .server("Crypto", in: "swift-crypto"),
                .server("CryptoExtras", in: "swift-crypto"),
                .modelHub("AsyncHTTPClient", in: "async-http-client"),
                .server("Hummingbird", in: "hummingbird"),
                .server("HTTPTypes", in: "swift-http-types"),
                .modelHub("NIOCore", in: "swift-nio"),
                .modelHub("NIOPosix", in: "swift-nio"),
                .modelHub("NIOHTTP1", in: "swift-nio"),
                .server("JWTKit", in: "jwt-kit"),
                .server("GRDB", in: "GRDB.swift"),
                // Its SQLite, for the number of a database's changes.
                .server("GRDBSQLite", in: "GRDB.swift"),
                .server("Logging", in: "swift-log"),
                .server("Metrics", in: "swift-metrics"),
                .server("Mustache", in: "swift-mustache"),
                .server("ServiceLifecycle", in: "swift-service-lifecycle"),
                .server("Subprocess", in: "swift-subprocess"),
                .server("SystemPackage", in: "swift-system"),
            ],
            // The console's templates, style and script.
            resources: [.embedInCode("Console/Resources")]
        ),
        // The server that answers what is in pictures: our own API, and the protocols of other servers.
        .target(
            name: "SightlineServer",
            dependencies: [
                "CommandLineSupport", "DurableFiles", "HTTPServing", "ModelCatalog", "ModelHub", "ModelHubProtocol",
                "Sightline",
                "SightlineMedia", "TensorFlowLite", "TextFormatting",
                .modelHub("AsyncHTTPClient", in: "async-http-client"),
                .server("Hummingbird", in: "hummingbird"),
                .server("HTTPTypes", in: "swift-http-types"),
                .modelHub("NIOCore", in: "swift-nio"),
                .server("Logging", in: "swift-log"),
                .server("Metrics", in: "swift-metrics"),
                .server("ServiceLifecycle", in: "swift-service-lifecycle"),
            ],
            // The page to try it.
            resources: [.embedInCode("Page/Files")]
        ),
        // The part that ML Kit's names, here, and Firebase's names, in Firebase/Package.swift, have in common.
        facade(
            "FacadeSupport",
            ["DurableFiles", "ModelHub", "ModelHubApp", "Sightline", "SightlineLocks", "TensorFlowLite"]
        ),
        // The umbrella of ML Kit's modules.
        facade("MLKit", mlKitNames.map { .byName(name: $0) }),
        // Tables, CSV, JSON and numbers as text, for reports, results and both commands.
        .target(name: "TextFormatting"),
        // Exit codes, messages, progress lines and signals of both commands.
        .target(
            name: "CommandLineSupport",
            dependencies: [
                "Sightline", "TensorFlowLite", "TextFormatting",
                .commands("ArgumentParser", in: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "SightlineCLI",
            dependencies: [
                "DurableFiles", "Sightline", "SightlineMedia", "TensorFlowLite", "ModelCatalog", "CommandLineSupport",
                "SightlineEvaluation", "SightlineEvents", "SightlineTraining", "TextFormatting", "ZoneDrawing",
                .commands("ArgumentParser", in: "swift-argument-parser"),
                .commands("Yams", in: "Yams"),
            ],
            // The page of `sightline zones`.
            resources: [.embedInCode("Zones/Page")]
        ),

        // `sightline hub`, a program of its own: linking a server would slow down the start of every other command.
        .executableTarget(
            name: "HubCLI",
            dependencies: [
                "DurableFiles", "HTTPServing", "ModelHub", "ModelHubProtocol", "ModelHubServer",
                "CommandLineSupport", "TextFormatting", "SightlineEvaluation", "SightlineTraining", "ProcessSandbox",
                "ModelCatalog", "Sightline", "TensorFlowLite",
                .commands("ArgumentParser", in: "swift-argument-parser"),
                .server("Crypto", in: "swift-crypto"),
                .server("CryptoExtras", in: "swift-crypto"),
                .server("HTTPTypes", in: "swift-http-types"),
                .server("Hummingbird", in: "hummingbird"),
                .modelHub("NIOCore", in: "swift-nio"),
                .modelHub("NIOFoundationCompat", in: "swift-nio"),
                .modelHub("NIOHTTP1", in: "swift-nio"),
                .server("Logging", in: "swift-log"),
            ]
        ),

        // `sightline serve`, a program of its own for the same reason.
        .executableTarget(
            name: "ServeCLI",
            dependencies: [
                "CommandLineSupport", "HTTPServing", "ModelHub", "Sightline", "SightlineServer",
                .commands("ArgumentParser", in: "swift-argument-parser"),
                .server("Logging", in: "swift-log"),
            ]
        ),

        // Where tests find fixtures, real data and generated pictures, and how they run programs.
        .target(
            name: "SightlineTestSupport",
            dependencies: [
                "SightlineImages",
                .server("Subprocess", in: "swift-subprocess"),
                .server("SystemPackage", in: "swift-system"),
            ],
            path: "Tests/TestSupport"
        ),
        // Hubs on loopback for tests of clients, and the process's hub.
        .target(
            name: "HubTestSupport",
            dependencies: [
                "HTTPServing", "ModelHub", "ModelHubApp", "ModelHubServer", "SightlineTestSupport",
                .server("HTTPTypes", in: "swift-http-types"),
                .server("Hummingbird", in: "hummingbird"),
                .server("HummingbirdTesting", in: "hummingbird"),
                .modelHub("NIOCore", in: "swift-nio"),
                .modelHub("NIOHTTP1", in: "swift-nio"),
                .modelHub("NIOPosix", in: "swift-nio"),
            ],
            path: "Tests/HubTestSupport"
        ),
        // Test program of `Scripts/tools fuzz models`: loads and runs the models that standard input names.
        probe("ModelProbe", ["OnnxRuntime", "TensorFlowLite"]),
        // Test program of `Scripts/tools fuzz images`: decodes the pictures that standard input names.
        probe("ImageProbe", ["Sightline"]),
        // Test program of `Scripts/tools fuzz videos` and of tests that kill it: reads and writes videos.
        probe("VideoProbe", ["SightlineMedia"]),
        // Test program: tries everything that a sandbox forbids.
        probe("SandboxProbe", ["ProcessSandbox"]),
        // Test program of `Scripts/tools kill download`: downloads models.
        probe("DownloadProbe", ["ModelHub"]),
        // Test program of `Scripts/tools kill broker`: sends events.
        probe("EventProbe", ["ModelHubProtocol", "Sightline", "SightlineEvents"]),
        // Test program: callbacks in a program with a run loop.
        probe("CallbackProbe", ["MLKit", "Sightline"]),
        .testTarget(name: "DurableFilesTests", dependencies: ["DurableFiles", "SightlineTestSupport"]),
        .testTarget(
            name: "ModelHubProtocolTests",
            dependencies: ["DurableFiles", "ModelHubProtocol", "SightlineTestSupport"]
        ),
        .testTarget(
            name: "HTTPServingTests",
            dependencies: [
                "HTTPServing", "SightlineTestSupport",
                .server("HTTPTypes", in: "swift-http-types"),
                .server("Hummingbird", in: "hummingbird"),
                .server("HummingbirdTesting", in: "hummingbird"),
                .server("Logging", in: "swift-log"),
                .modelHub("NIOCore", in: "swift-nio"),
                .modelHub("NIOEmbedded", in: "swift-nio"),
                .modelHub("NIOHTTP1", in: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "TensorFlowLiteTests",
            dependencies: ["DurableFiles", "ModelProbe", "TensorFlowLite", "SightlineTestSupport"]
        ),
        .testTarget(
            name: "OnnxRuntimeTests",
            dependencies: ["DurableFiles", "OnnxRuntime", "Sightline", "TensorFlowLite", "SightlineTestSupport"]
        ),
        .testTarget(
            name: "SightlineTests",
            dependencies: ["Sightline", "SightlineImages", "SightlineTesting", "SightlineTestSupport"]
        ),
        .testTarget(
            name: "SightlineTestingTests",
            dependencies: ["Sightline", "SightlineTesting", "SightlineTestSupport"]
        ),
        .testTarget(
            name: "SightlineMediaTests",
            dependencies: ["SightlineMedia", "SightlineTestSupport", "VideoProbe"]
        ),
        .testTarget(
            name: "EvaluationTests",
            dependencies: [
                "SightlineEvaluation", "Sightline", "TensorFlowLite", "SightlineTestSupport",
            ]
        ),
        .testTarget(
            name: "SightlineTrainingTests",
            dependencies: [
                "DurableFiles", "Sightline", "SightlineEvaluation", "SightlineTraining", "TensorFlowLite",
                "SightlineTestSupport",
            ]
        ),
        .testTarget(
            name: "SightlineEventsTests",
            dependencies: [
                "DurableFiles", "ModelHubProtocol", "Sightline", "SightlineEvents", "SightlineTestSupport",
            ]
        ),
        .testTarget(
            name: "ModelCatalogTests",
            dependencies: [
                "DurableFiles", "ModelCatalog", "ModelHubProtocol", "SightlineTestSupport", "TensorFlowLite",
            ]
        ),
        .testTarget(
            name: "ModelHubTests",
            dependencies: [
                "DownloadProbe", "HubTestSupport", "ModelHub", "ModelHubServer", "Sightline", "SightlineTestSupport",
                .server("Crypto", in: "swift-crypto"),
                .server("Hummingbird", in: "hummingbird"),
                .server("HummingbirdTesting", in: "hummingbird"),
                .modelHub("NIOCore", in: "swift-nio"),
                .modelHub("NIOHTTP1", in: "swift-nio"),
                .modelHub("NIOPosix", in: "swift-nio"),
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
                "CZlib", "HTTPServing", "HubTestSupport", "ModelHubProtocol", "ModelHubServer", "ProcessSandbox",
                "SandboxProbe",
                "OnnxRuntime", "Sightline", "SightlineEvaluation",
                "HubCLI",
                "TensorFlowLite", "SightlineTestSupport",
                .modelHub("AsyncHTTPClient", in: "async-http-client"),
                .server("JWTKit", in: "jwt-kit"),
                .server("GRDB", in: "GRDB.swift"),
                .server("Crypto", in: "swift-crypto"),
                .server("CryptoExtras", in: "swift-crypto"),
                .server("HTTPTypes", in: "swift-http-types"),
                .server("Hummingbird", in: "hummingbird"),
                .server("HummingbirdTesting", in: "hummingbird"),
                .server("Logging", in: "swift-log"),
                .modelHub("NIOCore", in: "swift-nio"),
                .modelHub("NIOPosix", in: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "SightlineServerTests",
            dependencies: [
                "CommandLineSupport", "HTTPServing", "HubTestSupport", "ModelHub", "OnnxRuntime", "ServeCLI",
                "Sightline", "SightlineCLI", "SightlineServer", "SightlineTesting", "SightlineTestSupport",
                .modelHub("AsyncHTTPClient", in: "async-http-client"),
                .server("HTTPTypes", in: "swift-http-types"),
                .server("Hummingbird", in: "hummingbird"),
                .server("HummingbirdTesting", in: "hummingbird"),
                .server("Logging", in: "swift-log"),
                .server("ServiceLifecycle", in: "swift-service-lifecycle"),
                .modelHub("NIOCore", in: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "SightlineCLITests",
            dependencies: [
                "SightlineCLI", "CommandLineSupport", "Sightline", "SightlineMedia", "ModelCatalog", "TextFormatting",
                "SightlineTestSupport",
            ]
        ),
    ] + mlKit,
    swiftLanguageModes: [.v6]
)

// The function main of this program is that of libFuzzer, which is there only with --sanitize=fuzzer.
if Context.environment["SIGHTLINE_FUZZ"] != nil {
    // The program of `Scripts/tools fuzz coverage`.
    let readers: [Target.Dependency] = [
        "HTTPServing", "ModelHubProtocol", "ModelHubServer", "OnnxRuntime", "Sightline", "SightlineEvaluation",
        "SightlineEvents", "SightlineMedia", "TensorFlowLite",
    ]
    package.targets.append(probe("FuzzProbe", readers + [.modelHub("NIOCore", in: "swift-nio")]))
}
