import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@Suite(.hangLimit) struct ModelMetadataTests {
    @Test func readsWhatAClassifierSays() throws {
        let metadata = try #require(try fixture("classifier_float_metadata").metadata)
        #expect(metadata.name == "Color classifier")
        #expect(metadata.description == "Names the color of a picture.")
        #expect(metadata.version == "1")
        #expect(metadata.author == "Sightline")
        #expect(metadata.license == "Apache-2.0")
        let input = try #require(metadata.inputs.first)
        #expect(input.normalization == .init(mean: [127.5], standardDeviation: [127.5]))
        #expect(input.content == .image(.rgb, width: 8, height: 8))
        #expect(input.minimumValues == [-1])
        #expect(input.maximumValues == [1])
        let output = try #require(metadata.outputs.first)
        #expect(output.name == "probability")
        #expect(output.content == .feature)
        #expect(output.scoreThreshold == 0.35)
        #expect(output.associatedFiles.map(\.name) == ["labels.txt", "labels_en.txt", "labels_de.txt"])
        #expect(output.associatedFiles.map(\.locale) == [nil, "en", "de"])
        #expect(output.associatedFiles.allSatisfy { $0.kind == .axisLabels })
    }

    @Test func readsWhatADetectorSays() throws {
        let metadata = try #require(try fixture("ssd_metadata").metadata)
        #expect(metadata.outputs.map(\.name) == ["location", "category", "score", "number of detections"])
        #expect(metadata.outputs[0].content == .boundingBox(.boundaries, coordinates: .ratio, order: [1, 0, 3, 2]))
        #expect(metadata.outputs[1].associatedFiles.map(\.kind) == [.valueLabels])
        #expect(metadata.outputs[2].scoreThreshold == 0.5)
    }

    @Test func readsMediaPipesDescriptionOfADetector() throws {
        let detector = try #require(try fixture("ssd_mediapipe").metadata?.detector)
        #expect(detector.anchors.count == 12)
        let first = try #require(detector.anchors.first)
        #expect(abs(first.centerY - 0.32) < 1e-5 && abs(first.centerX - 0.37) < 1e-5)
        #expect(abs(first.height - 0.48) < 1e-5 && abs(first.width - 0.36) < 1e-5)
        #expect([detector.xScale, detector.yScale, detector.widthScale, detector.heightScale] == [10, 10, 5, 5])
        #expect(detector.hasExponentialSizes && detector.hasSigmoidScores)
        #expect(try fixture("ssd_metadata").metadata?.detector == nil)
    }

    @Test func aDamagedDescriptionOfADetectorDoesNotTrap() throws {
        var random = RepeatableRandom(seed: 5)
        let original = try fixtureData("ssd_mediapipe")
        let start = try #require(original.range(of: Data("V001".utf8))).lowerBound
        for _ in 0..<2000 {
            var damaged = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: start..<start + 500, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do { _ = try Model(data: damaged).metadata } catch { #expect(!error.description.isEmpty) }
        }
    }

    @Test(arguments: ["classifier_float_metadata", "classifier_float_deflated"])
    func unpacksStoredAndDeflatedFiles(_ name: String) throws {
        let model = try fixture(name)
        #expect(model.associatedFileNames == ["labels.txt", "labels_en.txt", "labels_de.txt"])
        #expect(try model.associatedFile(named: "labels_en.txt") == Data("red\ngreen\nblue\n".utf8))
        #expect(try model.associatedFile(named: "labels_de.txt") == Data("rot\ngrün\nblau\n".utf8))
    }

    @Test func listsTheFilesThatThereAreWhenOneIsMissing() throws {
        #expect(throws: ModelError.noAssociatedFile(named: "labels.txt", available: [])) {
            try fixture("classifier_float").associatedFile(named: "labels.txt")
        }
        #expect(throws: ModelError.noAssociatedFile(named: "x", available: ["labelmap.txt"])) {
            try fixture("ssd_metadata").associatedFile(named: "x")
        }
    }

    @Test func noticesADamagedFile() throws {
        let data = try fixtureData("classifier_float_metadata").replacing(Array("grün".utf8), with: Array("gräu".utf8))
        let model = try Model(data: data)
        #expect(throws: ModelError.corruptedAssociatedFile(named: "labels_de.txt", reason: "its checksum is wrong")) {
            try model.associatedFile(named: "labels_de.txt")
        }
        #expect(try model.associatedFile(named: "labels.txt") == Data("/m/red\n/m/green\n/m/blue\n".utf8))
    }

    @Test func refusesAFileThatClaimsToBeHuge() throws {
        let data = try fixtureData("classifier_float_deflated")
        // The directory's entry: its mark, then at 24 bytes the unpacked size.
        let entry = try #require(data.range(of: Data([0x50, 0x4b, 1, 2]))).lowerBound
        var bomb = data
        bomb.replaceSubrange(entry + 24..<entry + 28, with: [0, 0, 0, 0x7f])
        let error = #expect(throws: ModelError.self) { try Model(data: bomb).associatedFile(named: "labels.txt") }
        guard case .corruptedAssociatedFile("(archive)", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func opensAModelWhoseArchiveIsDamaged() throws {
        let data = try fixtureData("ssd_metadata")
        let entry = try #require(data.range(of: Data([0x50, 0x4b, 1, 2]))).lowerBound
        var damaged = data
        damaged[entry] = 0
        let model = try Model(data: damaged)
        #expect(model.associatedFileNames.isEmpty)
        #expect(throws: ModelError.self) { try model.associatedFile(named: "labelmap.txt") }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func readsTheMetadataOfARealLabeler() throws {
        let model = try Model(contentsOf: TestData.real("models/classifiers/object_labeler.tflite"))
        let metadata = try #require(model.metadata)
        #expect(metadata.inputs.first?.normalization == .init(mean: [127.5], standardDeviation: [127.5]))
        let files = try #require(metadata.outputs.first).associatedFiles
        #expect(files.contains { $0.locale == "en" && $0.kind == .axisLabels })
        let english = try #require(files.first { $0.locale == "en" })
        let labels = String(decoding: try model.associatedFile(named: english.name), as: UTF8.self)
        #expect(labels.split(separator: "\n").count == 631 || labels.split(separator: "\n").count == 630)
    }
}
