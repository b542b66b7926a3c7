// swift-tools-version: 6.1
import PackageDescription

// Firebase's names. They have their own manifest, because an app with firebase-ios-sdk cannot resolve a second package with targets of
// the same names, regardless of the products that it uses.
let package = Package(
    name: "SightlineFirebase",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        // Each product has the import names of its pod.
        .library(
            name: "Firebase",
            targets: [
                "Firebase", "FirebaseMLCommon", "FirebaseMLModelInterpreter", "FirebaseMLVision",
                "FirebaseMLVisionAutoML",
                "FirebaseMLVisionObjectDetection",
            ]
        ),
        .library(name: "FirebaseCore", targets: ["FirebaseCore"]),
        .library(name: "FirebaseMLModelDownloader", targets: ["FirebaseMLModelDownloader"]),
    ],
    dependencies: [.package(name: "Sightline", path: "..")],
    targets: [
        // Firebase's app and its options.
        .target(
            name: "FirebaseCore",
            dependencies: [
                .product(name: "FacadeSupport", package: "Sightline"), .product(name: "ModelHub", package: "Sightline"),
            ]
        ),
        // Firebase's model downloader, which current apps use.
        .target(
            name: "FirebaseMLModelDownloader",
            dependencies: [
                "FirebaseCore",
                .product(name: "FacadeSupport", package: "Sightline"), .product(name: "ModelHub", package: "Sightline"),
            ]
        ),
        // Firebase ML Vision and the model interpreter of 6.25, with the modules that the umbrella exported.
        .target(
            name: "Firebase",
            dependencies: [
                "FirebaseCore",
                .product(name: "FacadeSupport", package: "Sightline"), .product(name: "ModelHub", package: "Sightline"),
                .product(name: "Sightline", package: "Sightline"),
                .product(name: "TensorFlowLite", package: "Sightline"),
            ]
        ),
        // The names of the pods' modules, each of which exports everything.
        .target(name: "FirebaseMLCommon", dependencies: ["Firebase"]),
        .target(name: "FirebaseMLModelInterpreter", dependencies: ["Firebase"]),
        .target(name: "FirebaseMLVision", dependencies: ["Firebase"]),
        .target(name: "FirebaseMLVisionAutoML", dependencies: ["Firebase"]),
        .target(name: "FirebaseMLVisionObjectDetection", dependencies: ["Firebase"]),

        // Tests run this program to check callbacks in a program with a run loop.
        .executableTarget(
            name: "FirebaseCallbackProbe",
            dependencies: ["Firebase", "FirebaseMLModelDownloader"],
            path: "Tests/FirebaseCallbackProbe"
        ),
        .testTarget(
            name: "FirebaseTests",
            dependencies: [
                "Firebase", "FirebaseCallbackProbe", "FirebaseCore", "FirebaseMLCommon", "FirebaseMLModelInterpreter",
                "FirebaseMLVision",
                "FirebaseMLVisionAutoML", "FirebaseMLVisionObjectDetection",
                .product(name: "HubTestSupport", package: "Sightline"),
                .product(name: "Sightline", package: "Sightline"),
                .product(name: "TensorFlowLite", package: "Sightline"),
            ]
        ),
        .testTarget(
            name: "FirebaseMLModelDownloaderTests",
            dependencies: [
                "FirebaseCore", "FirebaseMLModelDownloader", .product(name: "HubTestSupport", package: "Sightline"),
                .product(name: "TensorFlowLite", package: "Sightline"),
            ]
        ),
        // Code as it was written for Swift 5, to see that it still compiles.
        .testTarget(
            name: "FirebaseSwift5Tests",
            dependencies: [
                "Firebase", "FirebaseMLModelDownloader", .product(name: "HubTestSupport", package: "Sightline"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
