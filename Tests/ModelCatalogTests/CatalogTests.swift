import Foundation
import ModelCatalog
import Sightline
import SightlineTestSupport
import Testing

/// The content of the catalog.
@Suite(.hangLimit)
struct CatalogTests {
    @Test func holdsTheModelsThatItPromises() throws {
        let names = try ModelCatalog.bundled().entries.map(\.name)
        for name in [
            "coco-ssd-mobilenet-v1", "mobile-object-localizer-v1", "yolox-nano", "yolox-nano-ti-lite",
            "yolox-nano-ti-320",
            "mobilenet-v2", "mobilenet-v2-tf2", "ultra-light-face-320", "mediapipe-face-front", "mediapipe-face-back",
            "mediapipe-face-full-range", "movenet-lightning",
        ] {
            #expect(names.contains(name))
        }
    }

    @Test func everyEntryIsVerifiedAndComplete() throws {
        for entry in try ModelCatalog.bundled().entries {
            #expect(entry.address.hasPrefix("https://"))
            #expect(!entry.license.isEmpty && !entry.publisher.isEmpty && !entry.summary.isEmpty)
            #expect(entry.sha256?.utf8.count == 64 && entry.byteCount != nil)
            if let labels = entry.labels, let names = labels.names { #expect(names.count == labels.count) }
        }
    }

    @Test func measurementsAreOfModelsInTheCatalog() throws {
        let measurements = try ModelMeasurements.bundled()
        let catalog = try ModelCatalog.bundled()
        #expect(!measurements.pictures.isEmpty && !measurements.processor.isEmpty && measurements.runs > 0)
        for (name, figures) in measurements.models {
            #expect(catalog[name]?.sha256 != nil, "\(name)")
            #expect(figures.milliseconds > 0 && figures.inputWidth > 0 && figures.inputHeight > 0)
            #expect(figures.averagePrecision.map { (0...1).contains($0) } ?? true)
        }
    }

    @Test func saysWhichNamesThereAreWhenOneIsUnknown() throws {
        let error = #expect(throws: ModelCatalogError.self) { try ModelCatalog.bundled().entry(named: "yolo") }
        #expect(error?.description.contains("yolox-nano") == true)
    }

    @Test(arguments: ["", "{}", "[{}]", #"[{"name":"../x","task":"detection"}]"#])
    func refusesADamagedCatalog(json: String) {
        #expect(throws: ModelCatalogError.self) { try ModelCatalog(json: Data(json.utf8)) }
    }

    @Test(arguments: [
        "", ".", "..", "../x", "a/b", "/etc/passwd", ".partial-x", "-rf", "a b", "a\\b", "a\0b", "naïve", "a\nb",
        String(repeating: "a", count: 65),
    ])
    func aNameThatIsAPathOrAnOptionIsRefused(name: String) throws {
        try withTemporaryFolder { folder in
            let store = ModelStore(folder: folder)
            #expect(store[name] == nil)
            #expect(throws: ModelCatalogError.invalidName(name)) { try store.model(named: name) }
            #expect(throws: ModelCatalogError.invalidName(name)) { try store.remove(name) }
            let installation = Installation(name: name, source: .file("x"), sha256: String(repeating: "0", count: 64))
            #expect(throws: ModelCatalogError.invalidName(name)) { try store.install(installation) }
            let content = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(content.isEmpty)
        }
    }

    @Test(arguments: ["a", "yolox-nano", "MobileNet_v2.1", String(repeating: "a", count: 64)])
    func anOrdinaryNameIsTaken(name: String) throws {
        try withTemporaryFolder { folder in
            let error = ModelCatalogError.notInstalled(name: name, installed: [])
            #expect(throws: error) { try ModelStore(folder: folder).model(named: name) }
        }
    }

    @Test func theFolderFollowsTheXDGSpecification() {
        let named = ModelStore.ofUser(environment: ["XDG_DATA_HOME": "/data", "HOME": "/home/me"])
        #expect(named.folder.path == "/data/sightline/models")
        for ignored in ["", "relative"] {
            let store = ModelStore.ofUser(environment: ["XDG_DATA_HOME": ignored, "HOME": "/home/me"])
            #expect(store.folder.path == "/home/me/.local/share/sightline/models")
        }
    }

    @Test(
        .enabled(if: TestData.isAvailable, TestData.reason),
        arguments: [
            ("coco-ssd-mobilenet-v1", "coco_ssd/detect_with_metadata.tflite"),
            ("mobile-object-localizer-v1", "object_localizer/mobile_object_localizer_v1.tflite"),
            ("yolox-nano", "yolox/yolox_nano.tflite"),
            ("yolox-nano-ti-lite", "teachers/yolox_nano_ti_lite_0510_integer_quant.tflite"),
            ("mobilenet-v2", "classifiers/mobilenet_v2_1.0_224_quant.tflite"),
            ("mobilenet-v2-tf2", "teachers/tf2_mobilenet_v2_1.0_224_ptq.tflite"),
            ("mediapipe-face-front", "faces/face_detection_front.tflite"),
            ("mediapipe-face-back", "faces/face_detection_back.tflite"),
            ("mediapipe-face-full-range", "faces/face_detection_full_range.tflite"),
        ]
    )
    func verifiedEntriesAreWhatTheySay(name: String, file: String) throws {
        try withTemporaryFolder { folder in
            let entry = try ModelCatalog.bundled().entry(named: name)
            var installation = Installation(entry)
            installation.source = .file(TestData.real("models/" + file).path)
            let installed = try ModelStore(folder: folder).install(installation)
            #expect(installed.record?.isVerified == true)
            #expect(installed.record?.byteCount == entry.byteCount)
            let inspection = try ModelInspection(of: LocalModel(url: installed.model))
            #expect(inspection.problem == nil)
            #expect(inspection.task == (entry.task == .detection ? .detection : .labeling))
            #expect(inspection.labels?.count == entry.labels?.count)
            let measurements = try ModelMeasurements.bundled()
            let figures = try #require(measurements.models[name])
            #expect(inspection.inputs.first?.shape == [1, figures.inputHeight, figures.inputWidth, 3])
        }
    }
}
