import Foundation

/// A model that comes with the package, as a resource of this module.
///
/// The accessor that SwiftPM generates for resources ends the process where they are missing, so they are looked for here.
enum BuiltInModel: String, Sendable, Hashable, CaseIterable {
    case objectDetector = "object_detector"
    case imageLabeler = "image_labeler"
    case objectLocalizer = "object_localizer"
    case coarseClassifier = "coarse_classifier"
    case imageFeatures = "image_features"

    /// The name of the resource bundle, as SwiftPM makes it of package and target.
    static let bundleName: String = {
        #if canImport(Darwin)
            "Sightline_Sightline.bundle"
        #else
            "Sightline_Sightline.resources"
        #endif
    }()

    /// The coarse classifier's labels: ML Kit's categories, and the output for everything beyond them.
    static let coarseLabels = ["Fashion good", "Home good", "Food", "Place", "Plant", "Unknown"]

    /// The localizer's label.
    static let localizerLabels = ["object"]

    /// The labeler and the coarse classifier are outputs of the detector's model, which their sidecars name.
    var fileName: String {
        switch self {
        case .objectDetector, .objectLocalizer, .imageFeatures: "\(rawValue).tflite"
        case .imageLabeler, .coarseClassifier: "\(rawValue)\(ModelSidecar.suffix)"
        }
    }

    /// The file.
    ///
    /// - Throws: `LocalModelError.missingBuiltIn`.
    func url() throws(LocalModelError) -> URL {
        try url(in: Self.folders)
    }

    /// The file in the first of some folders whose resource bundle holds it.
    func url(in folders: [URL]) throws(LocalModelError) -> URL {
        for folder in folders {
            for candidate in candidates(in: folder) where FileManager.default.fileExists(atPath: candidate.path) {
                return candidate
            }
        }
        throw .missingBuiltIn(file: fileName, searched: folders.map(\.path))
    }

    /// Where the file lies, or should lie where it is missing.
    var expectedPath: String {
        if let url = try? url() { return url.path }
        return Self.folders.first.map { candidates(in: $0)[0].path } ?? fileName
    }

    /// A bundle is flat, but on macOS may have the folders of an application.
    private func candidates(in folder: URL) -> [URL] {
        let bundle = folder.appending(path: Self.bundleName)
        return [bundle.appending(path: fileName), bundle.appending(path: "Contents/Resources/\(fileName)")]
    }

    /// Where bundles of resources lie: beside the executable, which in a build folder and for tests is where SwiftPM puts
    /// them; in `../lib/sightline` of it, as the runtime library does; and in the resources of an application.
    private static let folders: [URL] = {
        var folders: [URL] = []
        if let executable = Bundle.main.executableURL?.resolvingSymlinksInPath() {
            let folder = executable.deletingLastPathComponent()
            folders = [folder, folder.deletingLastPathComponent().appending(path: "lib/sightline")]
        }
        #if canImport(Darwin)
            folders += [Bundle.main.resourceURL, Bundle(for: Anchor.self).resourceURL].compactMap(\.self)
            // A test bundle has its resources beside it.
            folders.append(Bundle(for: Anchor.self).bundleURL.deletingLastPathComponent())
        #endif
        return folders
    }()

    #if canImport(Darwin)
        /// A class of this module, which identifies the bundle that it was linked into.
        private final class Anchor {}
    #endif
}
