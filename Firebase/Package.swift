// swift-tools-version: 6.1
import PackageDescription

// Firebase's names. They have a manifest of their own, since an app that takes firebase-ios-sdk cannot resolve a second package with
// targets of these names, whichever products it uses. Scripts/release-firebase releases this folder as a repository of its own; it puts
// the address of Sightline in the place of the path, and leaves the tests out.

/// Sightline's module, from the package of this name.
func sightline(_ product: String) -> Target.Dependency {
    .product(name: product, package: "Sightline")
}

/// The name of a pod's module, which gives all of Firebase ML.
func pod(_ name: String) -> Target {
    .target(name: name, dependencies: ["Firebase"])
}

let pods = [
    pod("FirebaseMLCommon"), pod("FirebaseMLModelInterpreter"), pod("FirebaseMLVision"), pod("FirebaseMLVisionAutoML"),
    pod("FirebaseMLVisionObjectDetection"),
]
let podNames = pods.map(\.name)

let modules: [Target] = [
    // Firebase's app and its options.
    .target(name: "FirebaseCore", dependencies: [sightline("ModelHub")]),
    // The constants of Firebase's names for Objective-C.
    .target(name: "FirebaseObjectiveC"),
    // Firebase's downloader of models, which current apps use.
    .target(
        name: "FirebaseMLModelDownloader",
        dependencies: ["FirebaseCore", sightline("ModelHub")]
    ),
    // Firebase ML Vision and the model interpreter of 6.25, and the modules that the umbrella brought with it.
    .target(
        name: "Firebase",
        dependencies: [
            "FirebaseCore", sightline("ModelHub"), sightline("Sightline"), sightline("TensorFlowLite"),
        ]
    ),
]

var tests: [Target] = []
// Begin of the tests
tests = [
    // The program with which tests see callbacks in a run loop.
    .executableTarget(
        name: "FirebaseCallbackProbe",
        dependencies: ["Firebase", "FirebaseMLModelDownloader"],
        path: "Tests/FirebaseCallbackProbe"
    ),
    .testTarget(
        name: "FirebaseTests",
        dependencies: [
            "Firebase", "FirebaseCallbackProbe", "FirebaseCore", sightline("HubTestSupport"), sightline("Sightline"),
            sightline("TensorFlowLite"),
        ] + podNames.map { .byName(name: $0) }
    ),
    .testTarget(
        name: "FirebaseMLModelDownloaderTests",
        dependencies: [
            "FirebaseCore", "FirebaseMLModelDownloader", sightline("HubTestSupport"), sightline("TensorFlowLite"),
        ]
    ),
    // Code as it was written for Swift 5, to see that it still compiles.
    .testTarget(
        name: "FirebaseSwift5Tests",
        dependencies: ["Firebase", "FirebaseMLModelDownloader", sightline("HubTestSupport")],
        swiftSettings: [.swiftLanguageMode(.v5)]
    ),
]
// End of the tests

let package = Package(
    name: "SightlineFirebase",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        // Each imports as its pod does.
        .library(name: "Firebase", targets: ["Firebase", "FirebaseObjectiveC"] + podNames),
        .library(name: "FirebaseCore", targets: ["FirebaseCore"]),
        .library(name: "FirebaseMLModelDownloader", targets: ["FirebaseMLModelDownloader"]),
    ],
    dependencies: [
        .package(name: "Sightline", path: "..")
    ],
    targets: modules + pods + tests,
    swiftLanguageModes: [.v6]
)
