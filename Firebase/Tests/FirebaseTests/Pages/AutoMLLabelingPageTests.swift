// The page "Label images with an AutoML-trained model on iOS" of Firebase MLVisionAutoML 6.25, section by section, in Swift.
// Between "From the page" and "End" the code is the page's; AppleReplacements.swift has what stands for Apple's own.

import Firebase
import HubTestSupport
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct AutoMLLabelingPageTests {
    /// Calls `body` with an export of AutoML among the program's resources: a classifier of red, green and blue.
    private func withExport(_ body: () async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let export = folder.appending(path: "your_model_directory")
            try FileManager.default.createDirectory(at: export, withIntermediateDirectories: true)
            // Real exports have the comma.
            let manifest = #"{"modelType": "IMAGE_LABELING", "modelFile": "model.tflite", "labelsFile": "dict.txt",}"#
            try Data(manifest.utf8).write(to: export.appending(path: "manifest.json"))
            try Data("rose\nleaf\nsky\n".utf8).write(to: export.appending(path: "dict.txt"))
            try FileManager.default.copyItem(
                at: TestData.fixture("models/classifier_uint8.tflite"),
                to: export.appending(path: "model.tflite")
            )
            try await Bundle.$main.withValue(Bundle(folder: folder)) { try await body() }
        }
    }

    // MARK: - 1. Load the model: configure a Firebase-hosted model source

    private static func remoteModel() -> AutoMLRemoteModel {
        // From the page:
        let remoteModel = AutoMLRemoteModel(
            name: "your_remote_model"  // The name you assigned in the Firebase console.
        )
        // End
        return remoteModel
    }

    private static func startDownload(of remoteModel: AutoMLRemoteModel) -> Progress {
        // From the page:
        let downloadConditions = ModelDownloadConditions(
            allowsCellularAccess: true,
            allowsBackgroundDownloading: true
        )

        let downloadProgress = ModelManager.modelManager().download(
            remoteModel,
            conditions: downloadConditions
        )
        // End
        return downloadProgress
    }

    // MARK: - 1. Load the model: configure a local model source

    /// The result of the page's code where it returns `true`, which signals UIKit that the app has started.
    private static func localModel() -> AutoMLLocalModel? {
        // From the page:
        guard
            let manifestPath = Bundle.main.path(
                forResource: "manifest",
                ofType: "json",
                inDirectory: "your_model_directory"
            )
        else { return nil }
        let localModel = AutoMLLocalModel(manifestPath: manifestPath)
        // End
        return localModel
    }

    // MARK: - 1. Load the model: create an image labeler

    private static func labeler(of localModel: AutoMLLocalModel) -> VisionImageLabeler {
        // From the page:
        let options = VisionOnDeviceAutoMLImageLabelerOptions(localModel: localModel)
        options.confidenceThreshold = 0  // Evaluate your model in the Firebase console
        // to determine an appropriate value.
        let labeler = Vision.vision().onDeviceAutoMLImageLabeler(options: options)
        // End
        return labeler
    }

    private static func labeler(of remoteModel: AutoMLRemoteModel, otherwise localModel: AutoMLLocalModel)
        -> VisionImageLabeler
    {
        // From the page, which declares `options` with ? and then uses it as if with !, so that it compiles nowhere:
        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
        var options: VisionOnDeviceAutoMLImageLabelerOptions!
        if (ModelManager.modelManager().isModelDownloaded(remoteModel)) {
            options = VisionOnDeviceAutoMLImageLabelerOptions(remoteModel: remoteModel)
        } else {
            options = VisionOnDeviceAutoMLImageLabelerOptions(localModel: localModel)
        }
        options.confidenceThreshold = 0  // Evaluate your model in the Firebase console
        // to determine an appropriate value.
        let labeler = Vision.vision().onDeviceAutoMLImageLabeler(options: options)
        // End
        return labeler
    }

    @Test func aLocalModelLabels() async throws {
        try await withExport {
            let labeler = Self.labeler(of: try #require(Self.localModel()))
            #expect(labeler.type == .onDeviceAutoML)
            let labels = try await labels(of: Self.uiImage, by: labeler)
            #expect(Set(labels.map(\.text)) == ["rose", "leaf", "sky"])
        }
    }

    @Test func theRemoteModelTakesThePlaceOfTheLocalOneOnceItIsDownloaded() async throws {
        try await DefaultApp.withHub { hub in
            try await withExport {
                // Its labels are in its metadata.
                let file = try Data(contentsOf: TestData.fixture("models/classifier_uint8_metadata.tflite"))
                try await hub.publish("your_remote_model", file)
                let (remoteModel, localModel) = (Self.remoteModel(), try #require(Self.localModel()))
                let before = try await labels(
                    of: Self.uiImage,
                    by: Self.labeler(of: remoteModel, otherwise: localModel)
                )
                #expect(Set(before.map(\.text)) == ["rose", "leaf", "sky"])

                let controller = ViewController()
                await controller.observeDownloads()
                let progress = Self.startDownload(of: remoteModel)
                #expect(await controller.nextEvent() == "your_remote_model is there")
                #expect(progress.isFinished)
                let after = try await labels(of: Self.uiImage, by: Self.labeler(of: remoteModel, otherwise: localModel))
                #expect(Set(after.map(\.text)) == ["red", "green", "blue"])
            }
        }
    }

    // MARK: - 1. Load the model: the download's notifications

    /// The observer of downloads in an app.
    @MainActor final class ViewController {
        private let events = AsyncStream.makeStream(of: String.self)

        func nextEvent() async -> String? {
            for await event in events.stream { return event }
            return nil
        }

        private nonisolated func note(_ event: String) {
            MainActor.assumeIsolated { _ = events.continuation.yield(event) }
        }

        func observeDownloads() {
            // From the page (`_ =` is for Linux, where Foundation's function wants it):
            _ = NotificationCenter.default.addObserver(
                forName: .firebaseMLModelDownloadDidSucceed,
                object: nil,
                queue: nil
            ) { [weak self] notification in
                guard let strongSelf = self,
                    let userInfo = notification.userInfo,
                    let model = userInfo[ModelDownloadUserInfoKey.remoteModel.rawValue]
                        as? RemoteModel,
                    model.name == "your_remote_model"
                else { return }
                // The model was downloaded and is available on the device
                strongSelf.note("\(model.name) is there")
            }

            _ = NotificationCenter.default.addObserver(
                forName: .firebaseMLModelDownloadDidFail,
                object: nil,
                queue: nil
            ) { [weak self] notification in
                guard let strongSelf = self,
                    let userInfo = notification.userInfo,
                    let model = userInfo[ModelDownloadUserInfoKey.remoteModel.rawValue]
                        as? RemoteModel
                else { return }
                let error = userInfo[ModelDownloadUserInfoKey.error.rawValue]
                // ...
                guard model.name == "your_remote_model" else { return }
                strongSelf.note("\(model.name): \((error as? NSError)?.code ?? 0)")
            }
            // End
        }
    }

    @Test func aDownloadThatFailsSaysWhy() async throws {
        try await DefaultApp.withHub { hub in
            let controller = ViewController()
            await controller.observeDownloads()
            let progress = Self.startDownload(of: Self.remoteModel())
            #expect(await controller.nextEvent() == "your_remote_model: 5")
            #expect(!progress.isFinished)
        }
    }

    // MARK: - 2. Prepare the input image

    private static let uiImage = UIImage(file: TestData.fixture("images/large.png"))

    @Test func picturesAndFramesAreLabeledAlike() async throws {
        try await withExport {
            let labeler = Self.labeler(of: try #require(Self.localModel()))
            let sampleBuffer = try CMSampleBuffer(seeing: Self.uiImage.file)
            let metadata = VisionImageMetadata()
            metadata.orientation = .topLeft
            // From the page:
            let image = VisionImage(buffer: sampleBuffer)
            image.metadata = metadata
            // End
            let ofBuffer = try await labels(of: image, by: labeler)
            let ofPicture = try await labels(of: Self.uiImage, by: labeler)
            #expect(ofBuffer.map(\.text) == ofPicture.map(\.text))
            #expect(ofBuffer.map(\.confidence) == ofPicture.map(\.confidence))
        }
    }

    // MARK: - 3. Run the image labeler

    private func labels(of uiImage: UIImage, by labeler: VisionImageLabeler) async throws -> [VisionImageLabel] {
        // From the page (`try` is the replacement's):
        let image = try VisionImage(image: uiImage)
        // End
        return try await labels(of: image, by: labeler)
    }

    private func labels(of image: VisionImage, by labeler: VisionImageLabeler) async throws -> [VisionImageLabel] {
        try await withCheckedThrowingContinuation { continuation in
            // From the page:
            labeler.process(image) { labels, error in
                guard error == nil, let labels = labels else {
                    continuation.resume(throwing: error ?? CancellationError())
                    return
                }

                // Task succeeded.
                // ...
                continuation.resume(returning: labels)
            }
            // End
        }
    }

    @Test func labelsHaveTextAndConfidence() async throws {
        try await withExport {
            let labels = try await labels(of: Self.uiImage, by: Self.labeler(of: try #require(Self.localModel())))
            var sum: Float = 0
            // From the page:
            for label in labels {
                let labelText = label.text
                let confidence = label.confidence
                // End
                #expect(!labelText.isEmpty)
                sum += confidence?.floatValue ?? 0
            }
            #expect(abs(sum - 1) < 0.01)
        }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func anExportOfAutoMLNamesItsFlowers() async throws {
        let manifestPath = TestData.real("models/automl_flowers/manifest.json").path
        let labeler = Self.labeler(of: AutoMLLocalModel(manifestPath: manifestPath))
        for (photo, name) in [("daisy.jpeg", "daisy"), ("roses.jpeg", "roses"), ("tulips.jpeg", "tulips")] {
            let labels = try await labels(of: UIImage(file: TestData.real("images/\(photo)")), by: labeler)
            #expect(labels.first?.text == name)
        }
    }
}
