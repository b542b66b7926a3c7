import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@testable import Sightline

/// The models that come with the package.
@Suite(.hangLimit)
struct BuiltInModelTests {
    @Test func optionsWithoutAModelUseTheBuiltInModels() {
        let options = ObjectDetectorOptions()
        #expect(options.model == .builtInDetector)
        #expect(options.classifier == nil)
        #expect(ObjectDetectorOptions(classifier: .builtInClassifier).model == .builtInDetector)
        #expect(ObjectDetectorOptions(model: LocalModel(url: URL(filePath: "m.tflite"))).classifier == nil)
        #expect(ImageLabelerOptions().model == .builtInLabeler)
    }

    @Test func theDetectorNamesTheKindsOfCOCOAndGroupsOfThem() throws {
        let inspection = try ModelInspection(of: .builtInDetector)
        #expect(inspection.task == .detection && inspection.problem == nil)
        let names = try ObjectDetectorOptions().labelNames()
        #expect(names.classified.count == 80 && names.classified.contains("traffic light"))
        #expect(names.chosen.contains("cup") && names.chosen.contains("animal") && !names.chosen.contains("object"))
    }

    @Test func theLocalizerKnowsNoClasses() throws {
        let inspection = try ModelInspection(of: .builtInLocalizer)
        #expect(inspection.task == .detection && inspection.problem == nil)
        #expect(inspection.head?.hasSuffix("1 class") == true)
    }

    @Test func aCopyOfTheDetectorNamesTheSame() throws {
        try withTemporaryFolder { folder in
            let copy = folder.appending(path: "copy.tflite")
            try FileManager.default.copyItem(at: BuiltInModel.objectDetector.url(), to: copy)
            let names = try ObjectDetectorOptions(model: LocalModel(url: copy)).labelNames()
            #expect(names.chosen == (try ObjectDetectorOptions().labelNames().chosen))
        }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func theDetectorShowsFewBoxesInsideOthers() async throws {
        var options = ObjectDetectorOptions()
        func nested(_ objects: [DetectedObject]) -> Int {
            objects.count { inner in
                objects.contains {
                    $0.frame.area > inner.frame.area
                        && ($0.frame.intersection(inner.frame)?.area ?? 0) > 0.85 * inner.frame.area
                }
            }
        }
        var counts: [Int] = []
        for threshold in [nil, Float(1)] {
            // With an IoU threshold of 1, nothing is suppressed or doubted.
            options.iouThreshold = threshold
            let detector = try ObjectDetector(options: options)
            var count = 0
            for name in ["burger", "cats_and_dogs", "dandelion", "kite_and_cold", "multi_objects"] {
                count += nested(try await detector.objects(in: TestData.real("images/\(name).jpg")))
            }
            for name in ["daisy", "roses", "tulips"] {
                count += nested(try await detector.objects(in: TestData.real("images/\(name).jpeg")))
            }
            counts.append(count)
        }
        #expect(counts[0] * 2 < counts[1])
    }

    @Test func theClassifierHasTheFiveCategoriesInOrderAndUnknown() throws {
        let names = try Classifier(.builtInClassifier).names
        #expect(names.names == ["Fashion good", "Home good", "Food", "Place", "Plant", "Unknown"])
        #expect(names.backgroundIndex == 5)
    }

    @Test func whatIsNoneOfTheCategoriesHasNoLabelEvenWithoutAThreshold() async throws {
        var options = ImageLabelerOptions(model: .builtInClassifier)
        options.confidenceThreshold = 0
        let labels = try await ImageLabeler(options: options).labels(in: .gray(PixelSize(width: 64, height: 64)))
        #expect(labels.count == 5 && !labels.contains { $0.text == "Unknown" })
    }

    @Test func theLabelerHasManyLabelsAndAThreshold() throws {
        let inspection = try ModelInspection(of: .builtInLabeler)
        #expect(inspection.task == .labeling && inspection.problem == nil)
        let names = try Classifier(.builtInLabeler).names
        #expect(names.names.count >= 60 && Set(names.names).count == names.names.count)
        #expect(names.backgroundIndex == nil)
        #expect(names.names.contains("Person") && names.names.contains("Food"))
    }

    @Test func everyPageGivesTheNumberOfTheLabelersLabels() throws {
        let count = try Classifier(.builtInLabeler).names.names.count
        var pages = [TestData.package.appending(path: "README.md")]
        for folder in ["Documentation", "Sources", "Firebase/Sources"] {
            let files = FileManager.default.enumerator(
                at: TestData.package.appending(path: folder),
                includingPropertiesForKeys: nil
            )
            pages += (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "md" }
        }
        var pagesWithTheNumber = 0
        for page in pages {
            let numbers = try String(contentsOf: page, encoding: .utf8).matches(of: /(\d+) everyday (?:labels|things)/)
            #expect(numbers.allSatisfy { Int($0.output.1) == count }, "\(page.path)")
            pagesWithTheNumber += numbers.isEmpty ? 0 : 1
        }
        #expect(pagesWithTheNumber >= 5)
    }

    @Test func theLabelerGivesEveryLabelAConfidenceOfItsOwn() async throws {
        var options = ImageLabelerOptions()
        options.confidenceThreshold = 0
        options.maximumLabels = 1000
        let gray = try VisionImage.gray(PixelSize(width: 64, height: 64))
        let labels = try await ImageLabeler(options: options).labels(in: gray)
        let names = try Classifier(.builtInLabeler).names.names
        #expect(Set(labels.map(\.text)) == Set(names))
        #expect(labels.allSatisfy { (0...1).contains($0.confidence) })
    }

    @Test func aCopyOfTheClassifierKnowsTheSameCategories() async throws {
        try await withTemporaryFolder { folder in
            let bundle = try BuiltInModel.objectDetector.url().deletingLastPathComponent()
            for file in ["object_detector.tflite", "coarse_classifier.sightline.json"] {
                try FileManager.default.copyItem(at: bundle.appending(path: file), to: folder.appending(path: file))
            }
            let copy = folder.appending(path: "coarse_classifier.sightline.json")
            var options = ImageLabelerOptions(model: LocalModel(url: copy))
            options.confidenceThreshold = 0
            let gray = try VisionImage.gray(PixelSize(width: 64, height: 64))
            let labels = try await ImageLabeler(options: options).labels(in: gray)
            #expect(labels.count == 5 && !labels.contains { $0.text == "Unknown" })
            options.model = .builtInClassifier
            #expect(try await ImageLabeler(options: options).labels(in: gray) == labels)
        }
    }

    @Test func theDetectorTheLabelerAndTheClassifierAreOneFile() throws {
        let detector = try ModelInspection(of: .builtInDetector)
        let labeler = try ModelInspection(of: .builtInLabeler)
        let classifier = try ModelInspection(of: .builtInClassifier)
        #expect(detector.path.hasSuffix("object_detector.tflite") && detector.task == .detection)
        #expect(labeler.path == detector.path && classifier.path == detector.path)
        #expect(classifier.head == "classifier of 6 classes" && labeler.head != classifier.head)
        #expect(labeler.unused?.count == 1 && classifier.unused?.count == 1 && labeler.unused != classifier.unused)
        #expect(try Classifier(.builtInLabeler).input.format.size == PixelSize(width: 224, height: 224))
        #expect(try Classifier(.builtInClassifier).input.format.size == PixelSize(width: 128, height: 128))
    }

    @Test func allModelsTogetherHaveAtMostEightMegabytes() throws {
        let models: [BuiltInModel] = [
            .objectDetector, .objectLocalizer, .imageLabeler, .coarseClassifier, .imageFeatures,
        ]
        let bytes = try models.map { try Data(contentsOf: $0.url()).count }.reduce(0, +)
        #expect(bytes < 8_000_000)
    }

    @Test func aMissingBundleIsAnErrorThatNamesWhereItWasLookedFor() throws {
        try withTemporaryFolder { folder in
            let error = #expect(throws: LocalModelError.self) {
                try BuiltInModel.objectDetector.url(in: [folder])
            }
            #expect(error == .missingBuiltIn(file: "object_detector.tflite", searched: [folder.path]))
            #expect(error?.description.contains(BuiltInModel.bundleName) == true)
        }
    }

    @Test func theBundleIsFoundInTheFirstFolderThatHasIt() throws {
        try withTemporaryFolder { folder in
            let bundle = folder.appending(path: "b/" + BuiltInModel.bundleName)
            try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
            let file = bundle.appending(path: "object_localizer.tflite")
            try Data().write(to: file)
            let folders = [folder.appending(path: "a"), folder.appending(path: "b")]
            #expect(try BuiltInModel.objectLocalizer.url(in: folders).path == file.path)
            #expect(throws: LocalModelError.self) { try BuiltInModel.objectDetector.url(in: folders) }
        }
    }

    @Test func aChangedPathIsNoLongerTheBuiltInModel() {
        var model = LocalModel.builtInClassifier
        model.url = URL(filePath: "other.tflite")
        #expect(model == LocalModel(url: URL(filePath: "other.tflite")))
        #expect(throws: LocalModelError.unreadable(path: "other.tflite", reason: "there is no such file")) {
            try ModelInspection(of: model)
        }
    }
}

/// The built-in models on real photos.
@Suite(.hangLimit, .enabled(if: TestData.isAvailable, TestData.reason)) struct RealBuiltInModelTests {
    private func image(_ name: String) throws -> VisionImage {
        try VisionImage(contentsOf: TestData.real("images/" + name))
    }

    /// Drawn by hand on the pictures.
    @Test(arguments: [
        ("cat_1080p.jpg", PixelRect(x: 180, y: 110, width: 1200, height: 970)),
        ("sunflower.jpg", PixelRect(x: 30, y: 35, width: 570, height: 560)),
        ("sparrow.png", PixelRect(x: 410, y: 200, width: 540, height: 430)),
        ("burger.jpg", PixelRect(x: 15, y: 15, width: 435, height: 300)),
    ])
    func theDefaultOptionsFindTheMainObject(name: String, frame: PixelRect) async throws {
        var options = ObjectDetectorOptions()
        let all = try await ObjectDetector(options: options).objects(in: image(name))
        #expect(all.contains { $0.frame.iou(frame) > 0.5 })
        options.detectsMultipleObjects = false
        let one = try await ObjectDetector(options: options).objects(in: image(name))
        #expect(one.count == 1 && one.allSatisfy { $0.frame.iou(frame) > 0.5 })
    }

    @Test(arguments: ["daisy.jpeg", "sunflower.jpg", "roses.jpeg", "tulips.jpeg"])
    func flowersArePlantsOrNothing(name: String) async throws {
        let options = ObjectDetectorOptions(model: .builtInLocalizer, classifier: .builtInClassifier)
        let detector = try ObjectDetector(options: options)
        let labels = try await detector.objects(in: image(name)).compactMap(\.labels.first)
        #expect(labels.allSatisfy { $0.text == "Plant" && $0.index == 4 })
        #expect(name != "sunflower.jpg" || !labels.isEmpty)
    }

    @Test(arguments: ["daisy.jpeg", "tulips.jpeg"])
    func aPictureOfFlowersIsOneOfAPlant(name: String) async throws {
        let labels = try await ImageLabeler(options: ImageLabelerOptions(model: .builtInClassifier)).labels(
            in: image(name)
        )
        #expect(labels.map(\.text) == ["Plant"])
    }

    @Test(arguments: [
        ("tulips.jpeg", "Plant"), ("daisy.jpeg", "Plant"), ("burger.jpg", "Food"), ("kite_and_cold.jpg", "Kite"),
    ])
    func theLabelerSaysWhatAPhotoShows(name: String, label: String) async throws {
        let labels = try await ImageLabeler().labels(in: image(name))
        #expect(labels.first?.text == label)
    }

    /// It is not sure enough of a burger to say so by itself.
    @Test func aBurgerIsFoodToThoseWhoAskForLess() async throws {
        var options = ObjectDetectorOptions(classifier: .builtInClassifier)
        options.classificationThreshold = 0.5
        let objects = try await ObjectDetector(options: options).objects(in: image("burger.jpg"))
        let labels = objects.compactMap(\.labels.first)
        #expect(labels.contains { $0.text == "Food" && $0.index == 2 })
    }

    @Test func theDetectorNamesAKindOrAGroup() async throws {
        let detector = try ObjectDetector()
        let bird = try await detector.objects(in: image("sparrow.png"))
        #expect(bird.map(\.className) == ["bird"])
        let owl = try await detector.objects(in: image("owl.jpg"))
        #expect(["bird", "animal"].contains(owl.first?.className))
    }

    @Test func allowedAndDeniedNamesChooseAmongTheDetectorsObjects() async throws {
        var options = ObjectDetectorOptions()
        options.allowedLabels = ["bird"]
        #expect(try await ObjectDetector(options: options).objects(in: image("sparrow.png")).count == 1)
        #expect(try await ObjectDetector(options: options).objects(in: image("roses.jpeg")).isEmpty)
        options.allowedLabels = nil
        options.deniedLabels = ["bird"]
        #expect(try await ObjectDetector(options: options).objects(in: image("sparrow.png")).isEmpty)
        #expect(try await !ObjectDetector(options: options).objects(in: image("roses.jpeg")).isEmpty)
    }

    @Test func aCallersThresholdForLabelsCountsInPlaceOfTheModels() async throws {
        var options = ObjectDetectorOptions()
        options.classificationThreshold = 0
        let objects = try await ObjectDetector(options: options).objects(in: image("roses.jpeg"))
        #expect(!objects.isEmpty && objects.allSatisfy { $0.labels.count == 1 && $0.labels[0].index < 80 })
        options.classificationThreshold = 1
        let nameless = try await ObjectDetector(options: options).objects(in: image("sparrow.png"))
        #expect(!nameless.isEmpty && nameless.allSatisfy(\.labels.isEmpty))
    }

    @Test func allowedAndDeniedLabelsChooseAmongNamedObjects() async throws {
        var options = ObjectDetectorOptions(classifier: .builtInClassifier)
        options.allowedLabels = ["Plant"]
        #expect(try await ObjectDetector(options: options).objects(in: image("burger.jpg")).isEmpty)
        #expect(try await !ObjectDetector(options: options).objects(in: image("tulips.jpeg")).isEmpty)
        options.allowedLabels = nil
        options.deniedLabels = ["Food"]
        let others = try await ObjectDetector(options: options).objects(in: image("burger.jpg"))
        #expect(others.allSatisfy { $0.labels.first?.text != "Food" })
    }
}
