import Foundation
import Testing

/// Where tests find their files.
///
/// Fixtures lie in the package. Real models, photos and videos lie outside it, in the folder that the environment
/// variable `SIGHTLINE_TEST_DATA` names or in `../shared/data` beside the checkout. A test that needs them says
/// `.enabled(if: TestData.isAvailable, TestData.reason)`, so that it is reported as skipped where they are absent.
public enum TestData {
    /// The folder that holds Package.swift.
    public static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Small generated models and pictures that belong to the package.
    public static func fixture(_ path: String) -> URL {
        package.appending(path: "Tests/Fixtures").appending(path: path)
    }

    /// The folder of real data, whether or not it exists.
    public static let root: URL = {
        if let path = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_DATA"], !path.isEmpty {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return package.deletingLastPathComponent().appending(path: "shared/data")
    }()

    /// Whether the real data can be read here.
    public static let isAvailable = FileManager.default.fileExists(atPath: root.appending(path: "models").path)

    /// Why a test that needs real data was skipped.
    public static let reason: Testing.Comment = "needs real models and photos: set SIGHTLINE_TEST_DATA to their folder"

    /// A file of the real data, for example `models/coco_ssd/detect.tflite`.
    public static func real(_ path: String) -> URL { root.appending(path: path) }
}
