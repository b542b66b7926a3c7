import Foundation

/// The folder that AutoML Vision Edge writes: `manifest.json`, the model, `dict.txt`, for detectors also
/// `tflite_metadata.json`.
package struct AutoMLExport {
    /// The model file.
    package let model: URL
    /// The label file.
    package let labels: URL

    /// Reads a manifest: `{"modelType": "IMAGE_LABELING", "modelFile": "model.tflite", "labelsFile": "dict.txt"}`.
    ///
    /// Real exports carry a trailing comma, so the file is read as JSON5. File names are relative to the manifest and may
    /// not lead out of its folder.
    package init(manifest: URL) throws(LocalModelError) {
        let fields: Manifest
        do {
            fields = try Manifest(lenientJSON: manifest)
        } catch let error as DecodingError {
            throw .manifest(path: manifest.path, reason: error.summary)
        } catch {
            throw .unreadable(path: manifest.path, reason: error.summary)
        }
        func file(_ name: String, _ key: String) throws(LocalModelError) -> URL {
            guard !name.isEmpty, name == (name as NSString).lastPathComponent, name != ".." else {
                throw .manifest(path: manifest.path, reason: "\(key) \"\(name)\" is not the name of a file beside it")
            }
            let url = manifest.deletingLastPathComponent().appending(path: name)
            guard FileManager.default.fileExists(atPath: url.path) else {
                throw .manifest(path: manifest.path, reason: "\(key) \"\(name)\" is not there")
            }
            return url
        }
        model = try file(fields.modelFile, "modelFile")
        labels = try file(fields.labelsFile, "labelsFile")
    }

    private struct Manifest: Decodable {
        var modelFile: String
        var labelsFile: String
    }
}

/// AutoML's description of a detector, in `tflite_metadata.json`.
struct AutoMLDetectorMetadata: Decodable, Sendable, Hashable {
    /// The size of the input picture; 320 × 320 where the file does not give it.
    let size: PixelSize
    /// The most objects that the model reports; 40 where the file does not give it.
    let maximumDetections: Int

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        size = PixelSize(
            width: try fields.decodeIfPresent(Int.self, forKey: .imageWidth) ?? 320,
            height: try fields.decodeIfPresent(Int.self, forKey: .imageHeight) ?? 320
        )
        maximumDetections = try fields.decodeIfPresent(Int.self, forKey: .maxDetections) ?? 40
    }

    private enum CodingKeys: String, CodingKey {
        case imageWidth, imageHeight, maxDetections
    }
}
