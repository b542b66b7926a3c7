import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct AutoMLExportTests {
    @Test func aTrailingCommaAsRealExportsHaveItIsRead() throws {
        try withTemporaryFolder { folder in
            try write(
                "{\"modelType\": \"IMAGE_LABELING\", \"modelFile\": \"m.tflite\", \"labelsFile\": \"d.txt\",}",
                folder
            )
            for name in ["m.tflite", "d.txt"] { try Data("x".utf8).write(to: folder.appending(path: name)) }
            let export = try AutoMLExport(manifest: folder.appending(path: "manifest.json"))
            #expect(export.model.lastPathComponent == "m.tflite" && export.labels.lastPathComponent == "d.txt")
        }
    }

    @Test(arguments: [
        "{}", "[", "", "{\"modelFile\": 3, \"labelsFile\": \"d.txt\"}",
        "{\"modelFile\": \"../../etc/passwd\", \"labelsFile\": \"d.txt\"}",
        "{\"modelFile\": \"/etc/passwd\", \"labelsFile\": \"d.txt\"}",
        "{\"modelFile\": \"missing.tflite\", \"labelsFile\": \"d.txt\"}",
        "{\"modelFile\": \"..\", \"labelsFile\": \"d.txt\"}",
    ])
    func aManifestThatNamesNoFilesBesideItIsRefused(text: String) throws {
        try withTemporaryFolder { folder in
            try write(text, folder)
            #expect(throws: LocalModelError.self) {
                try AutoMLExport(manifest: folder.appending(path: "manifest.json"))
            }
        }
    }

    @Test func detectorMetadataHasTheDocumentedDefaults() throws {
        let empty = try JSONDecoder().decode(AutoMLDetectorMetadata.self, from: Data("{}".utf8))
        #expect(empty.size == PixelSize(width: 320, height: 320) && empty.maximumDetections == 40)
        let full = try JSONDecoder().decode(
            AutoMLDetectorMetadata.self,
            from: Data("{\"imageWidth\": 512, \"imageHeight\": 256, \"maxDetections\": 10}".utf8)
        )
        #expect(full.size == PixelSize(width: 512, height: 256) && full.maximumDetections == 10)
    }

    private func write(_ text: String, _ folder: URL) throws {
        try Data(text.utf8).write(to: folder.appending(path: "manifest.json"))
    }
}
