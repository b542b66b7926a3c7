// The snippets stand here as the page has them.
// swift-format-ignore-file

import Foundation
import HubTestSupport
import MLKit
import Synchronization
import SightlineTestSupport
import Testing

import enum Sightline.CameraPosition
import enum Sightline.DeviceOrientation
import struct Sightline.PixelBuffer

// ML Kit's page "Detect, track and classify objects with a custom classification model on iOS", section by section.
//
// The parts that are Apple's are replaced:
//
//     UIImage, CMSampleBuffer         a file, pixels in memory (PixelBuffer)
//     image.imageOrientation          the orientation that EXIF data in the file state, read by VisionImage itself
//     UIImage.Orientation             VisionImage.Orientation
//     UIDeviceOrientation             Sightline.DeviceOrientation
//     AVCaptureDevice.Position        Sightline.CameraPosition
//     UIDevice.current.orientation    an argument
//     an observer's token, ignored    kept, so that the test can remove the observer
//
// In the snippet that makes a picture of a UIImage, the page calls the picture `image` and `visionImage` by turns; it is
// `visionImage` here.

/// The app of the page. Each function is a snippet, with what it takes from elsewhere as arguments.
@MainActor
private final class App {
    nonisolated let downloaded = Names()
    nonisolated let failed = Names()

    // MARK: 1. Load the model

    // Configure a local model source
    func loadLocalModel(localModelFilePath: String) -> LocalModel {
        let localModel = LocalModel(path: localModelFilePath)
        return localModel
    }

    // Configure a Firebase-hosted model source
    func loadRemoteModel() -> CustomRemoteModel {
        let firebaseModelSource = FirebaseModelSource(
            name: "your_remote_model") // The name you assigned in
                                       // the Firebase console.
        let remoteModel = CustomRemoteModel(remoteModelSource: firebaseModelSource)
        return remoteModel
    }

    func download(_ remoteModel: CustomRemoteModel) -> Progress {
        let downloadConditions = ModelDownloadConditions(
          allowsCellularAccess: true,
          allowsBackgroundDownloading: true
        )

        let downloadProgress = ModelManager.modelManager().download(
          remoteModel,
          conditions: downloadConditions
        )
        return downloadProgress
    }

    // MARK: 2. Configure the object detector

    func configure(localModel: LocalModel) -> CustomObjectDetectorOptions {
        let options = CustomObjectDetectorOptions(localModel: localModel)
        options.detectorMode = .singleImage
        options.shouldEnableClassification = true
        options.shouldEnableMultipleObjects = true
        options.classificationConfidenceThreshold = NSNumber(value: 0.5)
        options.maxPerObjectLabelCount = 3
        return options
    }

    func configure(remoteModel: CustomRemoteModel, localModel: LocalModel) -> CustomObjectDetectorOptions {
        var options: CustomObjectDetectorOptions!
        if (ModelManager.modelManager().isModelDownloaded(remoteModel)) {
          options = CustomObjectDetectorOptions(remoteModel: remoteModel)
        } else {
          options = CustomObjectDetectorOptions(localModel: localModel)
        }
        options.detectorMode = .singleImage
        options.shouldEnableClassification = true
        options.shouldEnableMultipleObjects = true
        options.classificationConfidenceThreshold = NSNumber(value: 0.5)
        options.maxPerObjectLabelCount = 3
        return options
    }

    func observeDownloads() {
        let didSucceed =
        NotificationCenter.default.addObserver(
            forName: .mlkitModelDownloadDidSucceed,
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
            strongSelf.downloaded.add(model.name)
        }

        let didFail =
        NotificationCenter.default.addObserver(
            forName: .mlkitModelDownloadDidFail,
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
            if error is NSError { strongSelf.failed.add(model.name) }
        }
        observers = [didSucceed, didFail]
    }

    private var observers: [any NSObjectProtocol] = []

    func stopObserving() {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    func configureForLiveDetection(localModel: LocalModel) -> CustomObjectDetectorOptions {
        // Live detection and tracking
        let options = CustomObjectDetectorOptions(localModel: localModel)
        options.shouldEnableClassification = true
        options.maxPerObjectLabelCount = 3
        return options
    }

    func configureForStaticImages(localModel: LocalModel) -> CustomObjectDetectorOptions {
        // Multiple object detection in static images
        let options = CustomObjectDetectorOptions(localModel: localModel)
        options.detectorMode = .singleImage
        options.shouldEnableMultipleObjects = true
        options.shouldEnableClassification = true
        options.maxPerObjectLabelCount = 3
        return options
    }

    // MARK: 3. Prepare the input image

    nonisolated func prepare(_ file: URL) throws -> VisionImage {
        let visionImage = try VisionImage(contentsOf: file)
        // visionImage.orientation = image.imageOrientation: it has that of the file.
        return visionImage
    }

    func imageOrientation(
      deviceOrientation: DeviceOrientation,
      cameraPosition: CameraPosition
    ) -> VisionImage.Orientation {
      switch deviceOrientation {
      case .portrait:
        return cameraPosition == .front ? .leftMirrored : .right
      case .landscapeLeft:
        return cameraPosition == .front ? .downMirrored : .up
      case .portraitUpsideDown:
        return cameraPosition == .front ? .rightMirrored : .left
      case .landscapeRight:
        return cameraPosition == .front ? .upMirrored : .down
      case .faceDown, .faceUp, .unknown:
        return .up
      }
    }

    func prepare(
        _ buffer: PixelBuffer,
        deviceOrientation: DeviceOrientation,
        cameraPosition: CameraPosition
    ) -> VisionImage {
        let image = VisionImage(pixels: buffer)
        image.orientation = imageOrientation(
          deviceOrientation: deviceOrientation,
          cameraPosition: cameraPosition)
        return image
    }

    // MARK: 4. Create and run the object detector

    func detector(_ options: CustomObjectDetectorOptions) -> ObjectDetector {
        let objectDetector = ObjectDetector.objectDetector(options: options)
        return objectDetector
    }

    func detector(remoteModel: CustomRemoteModel, localModel: LocalModel) -> ObjectDetector {
        detector(configure(remoteModel: remoteModel, localModel: localModel))
    }

    func detect(in image: VisionImage, _ objectDetector: ObjectDetector, show: @escaping ([Object]?) -> Void) {
        objectDetector.process(image) { objects, error in
            guard error == nil, let objects = objects, !objects.isEmpty else {
                // Handle the error.
                show(nil)
                return
            }
            // Show results.
            show(objects)
        }
    }

    nonisolated func detectSynchronously(in image: VisionImage, _ objectDetector: ObjectDetector) -> [Object]? {
        var objects: [Object]
        do {
            objects = try objectDetector.results(in: image)
        } catch let error {
            // Handle the error.
            Issue.record(error)
            return nil
        }
        // Show results.
        return objects
    }

    // MARK: 5. Get information about labeled objects

    nonisolated func describe(_ objects: [Object]) -> [(CGRect, NSNumber?, String)] {
        var seen: [(CGRect, NSNumber?, String)] = []
        // objects contains one item if multiple object detection wasn't enabled.
        for object in objects {
          let frame = object.frame
          let trackingID = object.trackingID
          let description = object.labels.enumerated().map { (index, label) in
            "Label \(index): \(label.text), \(label.confidence), \(label.index)"
          }.joined(separator: "\n")
          seen.append((frame, trackingID, description))
        }
        return seen
    }
}

/// The notifications that the observers saw.
private final class Names: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }

    /// Waits for the first.
    func first() async throws -> String? {
        try await wait(while: { all.isEmpty })
        return all.first
    }
}

/// The promises of the page.
@MainActor
@Suite(.hangLimit)
struct CustomObjectDetectionPage {
    private let app = App()

    private func localModel() -> LocalModel { app.loadLocalModel(localModelFilePath: Sample.classifier) }

    @Test func aLocalModelIsKnownByItsPath() {
        #expect(localModel().path == Sample.classifier)
        #expect(localModel().manifestPath == nil)
    }

    @Test func aRemoteModelIsKnownByTheNameOfItsSource() {
        #expect(app.loadRemoteModel().name == "your_remote_model")
    }

    @Test func downloadsReportTheirProgressAndNotifyObservers() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("your_remote_model", Data(contentsOf: URL(filePath: Sample.classifier)))
            let app = await App()
            await app.observeDownloads()
            let remoteModel = await app.loadRemoteModel()
            let progress = await app.download(remoteModel)
            let name = try await app.downloaded.first()
            #expect(name == "your_remote_model")
            #expect(progress.isFinished)
            #expect(ModelManager.modelManager().isModelDownloaded(remoteModel))
            await app.stopObserving()
        }
    }

    @Test func failedDownloadsNotifyObserversWithTheError() async throws {
        try await DefaultApp.withHub { _ in
            let app = await App()
            await app.observeDownloads()
            _ = await app.download(app.loadRemoteModel())
            let name = try await app.failed.first()
            #expect(name == "your_remote_model")
            #expect(app.downloaded.all.isEmpty)
            await app.stopObserving()
        }
    }

    @Test func theLocalModelIsUsedUntilTheRemoteOneIsThere() async throws {
        try await DefaultApp.withHub { hub in
            // The same classifier without names for its classes.
            try await hub.publish("your_remote_model", Data(contentsOf: URL(filePath: Sample.model("classifier_float"))))
            let app = await App()
            await app.observeDownloads()
            for isThere in [false, true] {
                let (remoteModel, localModel) = await (app.loadRemoteModel(), app.loadLocalModel(localModelFilePath: Sample.classifier))
                if isThere {
                    _ = await app.download(remoteModel)
                    _ = try await app.downloaded.first()
                }
                let detector = await app.detector(remoteModel: remoteModel, localModel: localModel)
                let objects = try #require(app.detectSynchronously(in: app.prepare(Sample.photo), detector))
                let texts = objects.flatMap(\.labels).map(\.text)
                #expect(!texts.isEmpty && texts.allSatisfy { $0.isEmpty == isThere })
            }
            await app.stopObserving()
        }
    }

    @Test func staticImagesGiveSeveralObjectsWithoutIdentities() async throws {
        let detector = app.detector(app.configureForStaticImages(localModel: localModel()))
        let image = try app.prepare(Sample.photo)
        let objects = await withCheckedContinuation { continuation in
            app.detect(in: image, detector) { continuation.resume(returning: $0) }
        }
        let seen = app.describe(try #require(objects))
        #expect(seen.count == 2)
        for (frame, trackingID, description) in seen {
            #expect(CGRect(x: 0, y: 0, width: 320, height: 240).contains(frame))
            #expect(trackingID == nil)
            #expect(description.hasPrefix("Label 0: "))
        }
    }

    @Test func thresholdAndCountOfThePageAreKept() async throws {
        let objects = try await app.detector(app.configure(localModel: localModel())).process(app.prepare(Sample.photo))
        #expect(objects.count == 2)
        #expect(objects.allSatisfy { $0.labels.count <= 3 && $0.labels.allSatisfy { $0.confidence >= 0.5 } })
    }

    @Test func liveDetectionFollowsTheMostProminentObject() async throws {
        let detector = app.detector(app.configureForLiveDetection(localModel: localModel()))
        let found = await frames(5, detector)
        #expect(found.allSatisfy { $0?.count == 1 })
        let identities = Set(found.map { $0?.first?.trackingID })
        #expect(identities.count == 1 && !identities.contains(nil))
    }

    /// As a camera's callback would, not on the main thread, and at once: after a while without one an object would be a new one.
    private nonisolated func frames(_ count: Int, _ detector: ObjectDetector) async -> [[Object]?] {
        guard let image = try? app.prepare(Sample.photo) else { return [nil] }
        return (0..<count).map { _ in app.detectSynchronously(in: image, detector) }
    }

    @Test func picturesWithoutObjectsGiveNone() async throws {
        let detector = app.detector(app.configureForStaticImages(localModel: localModel()))
        let image = try app.prepare(Sample.empty)
        let objects = await withCheckedContinuation { continuation in
            app.detect(in: image, detector) { continuation.resume(returning: $0) }
        }
        #expect(objects == nil)
    }

    @Test func framesOfCamerasStandUpright() throws {
        let orientations = [DeviceOrientation.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp].map {
            app.imageOrientation(deviceOrientation: $0, cameraPosition: .back)
        }
        #expect(orientations == [.right, .up, .left, .down, .up])
        let plane = PixelBuffer.Plane(data: Data(count: 4 * 2 * 3), bytesPerRow: 12)
        let pixels = try PixelBuffer(format: .rgb, width: 4, height: 2, planes: [plane])
        let image = app.prepare(pixels, deviceOrientation: .portrait, cameraPosition: .front)
        #expect(image.orientation == .leftMirrored)
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func aRealModelNamesBirds() async throws {
        let path = TestData.real("models/classifiers/bird_classifier.tflite").path
        let options = app.configure(localModel: app.loadLocalModel(localModelFilePath: path))
        let image = try app.prepare(TestData.real("images/sparrow.png"))
        let objects = try await app.detector(options).process(image)
        #expect(!objects.isEmpty && objects.count <= 5)
        #expect(objects.contains { $0.labels.first?.text.isEmpty == false })
    }
}
