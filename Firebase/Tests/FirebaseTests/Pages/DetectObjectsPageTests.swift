// The page "Detect and track objects with ML Kit on iOS" of Firebase MLVision 6.25, section by section, in Swift. Between
// "From the page" and "End" the code is the page's; AppleReplacements.swift has what stands for Apple's own.

import Firebase
import HubTestSupport
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct DetectObjectsPageTests {
    private static let uiImage = UIImage(file: TestData.fixture("images/large.png"))

    // MARK: - Before you begin

    @Test func theAppIsConfiguredAndDetectorsNeedNoMore() async throws {
        try await DefaultApp.with(FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2")) {
            // FirebaseApp.configure(), with a GoogleService-Info.plist beside the program.
            #expect(FirebaseApp.app() != nil)
            let image = try VisionImage(image: Self.uiImage)
            let objects = try await detected(by: Vision.vision().objectDetector(), in: image)
            #expect(!objects.isEmpty)
        }
    }

    // MARK: - 1. Configure the object detector

    private static func liveOptions() -> VisionObjectDetectorOptions {
        // From the page:
        // Live detection and tracking
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .stream
        options.shouldEnableMultipleObjects = false
        options.shouldEnableClassification = true  // Optional
        // End
        return options
    }

    private static func pictureOptions() -> VisionObjectDetectorOptions {
        // From the page:
        // Multiple object detection in static images
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .singleImage
        options.shouldEnableMultipleObjects = true
        options.shouldEnableClassification = true  // Optional
        // End
        return options
    }

    @Test func detectorsAreMadeWithTheDefaultsAndWithOptions() async throws {
        let image = try VisionImage(image: Self.uiImage)
        do {
            // From the page:
            let objectDetector = Vision.vision().objectDetector()
            // End
            #expect(try await detected(by: objectDetector, in: image).count == 1)
        }
        for options in [Self.liveOptions(), Self.pictureOptions()] {
            // From the page:
            let objectDetector = Vision.vision().objectDetector(options: options)
            // End
            #expect(try await !detected(by: objectDetector, in: image).isEmpty)
        }
    }

    // MARK: - 2. Run the object detector

    // From the page:
    func imageOrientation(
        deviceOrientation: UIDeviceOrientation,
        cameraPosition: AVCaptureDevice.Position
    ) -> VisionDetectorImageOrientation {
        switch deviceOrientation {
        case .portrait:
            return cameraPosition == .front ? .leftTop : .rightTop
        case .landscapeLeft:
            return cameraPosition == .front ? .bottomLeft : .topLeft
        case .portraitUpsideDown:
            return cameraPosition == .front ? .rightBottom : .leftBottom
        case .landscapeRight:
            return cameraPosition == .front ? .topRight : .bottomRight
        case .faceDown, .faceUp, .unknown:
            return .leftTop
        }
    }
    // End

    @Test func imagesAreMadeOfAUIImage() throws {
        let uiImage = Self.uiImage
        // From the page (`try` is the replacement's):
        let image = try VisionImage(image: uiImage)
        // End
        #expect(image.metadata == nil)
    }

    @Test func imagesAreMadeOfASampleBufferAndMetadata() async throws {
        let sampleBuffer = try CMSampleBuffer(seeing: Self.uiImage.file)
        // From the page:
        let cameraPosition = AVCaptureDevice.Position.back  // Set to the capture device you used.
        let metadata = VisionImageMetadata()
        metadata.orientation = imageOrientation(
            deviceOrientation: UIDevice.current.orientation,
            cameraPosition: cameraPosition
        )

        let image = VisionImage(buffer: sampleBuffer)
        image.metadata = metadata
        // End
        #expect(image.metadata?.orientation == .rightTop)
        let frames = try await detected(by: Vision.vision().objectDetector(), in: image).map(\.frame)
        // The picture is turned: it is as wide as the buffer is high.
        #expect(frames.count == 1)
        #expect(frames.allSatisfy { $0.maxX <= Double(sampleBuffer.pixels.height) })
    }

    /// The asynchronous call of the page.
    private func detected(by objectDetector: VisionObjectDetector, in image: VisionImage) async throws -> [VisionObject]
    {
        try await withCheckedThrowingContinuation { continuation in
            // From the page:
            objectDetector.process(image) { detectedObjects, error in
                guard error == nil else {
                    // Error.
                    continuation.resume(throwing: error ?? CancellationError())
                    return
                }
                guard let detectedObjects = detectedObjects, !detectedObjects.isEmpty else {
                    // No objects detected.
                    continuation.resume(returning: [])
                    return
                }

                // Success. Get object info here.
                // ...
                continuation.resume(returning: detectedObjects)
            }
            // End
        }
    }

    /// The synchronous call of the page; it receives the text that is printed there.
    private func detectedNow(
        by objectDetector: VisionObjectDetector,
        in image: VisionImage,
        print: (String) -> Void
    ) -> [VisionObject] {
        // From the page:
        var results: [VisionObject]? = nil
        do {
            results = try objectDetector.results(in: image)
        } catch let error {
            print("Failed to detect object with error: \(error.localizedDescription).")
            return []
        }
        guard let detectedObjects = results, !detectedObjects.isEmpty else {
            print("Object detector returned no results.")
            return []
        }

        // ...
        // End
        return detectedObjects
    }

    @Test func objectsAreDetectedSynchronously() throws {
        let detector = Vision.vision().objectDetector(options: Self.pictureOptions())
        var printed: [String] = []
        let objects = detectedNow(by: detector, in: try VisionImage(image: Self.uiImage)) { printed.append($0) }
        #expect(!objects.isEmpty && printed.isEmpty)
    }

    @Test @MainActor func onTheMainThreadTheSynchronousCallIsAnErrorNotACrash() throws {
        var printed: [String] = []
        let detector = Vision.vision().objectDetector()
        let objects = detectedNow(by: detector, in: try VisionImage(image: Self.uiImage)) { printed.append($0) }
        #expect(objects.isEmpty && printed.count == 1)
        #expect(
            printed.first?.hasPrefix("Failed to detect object with error: results(in:) was called on the main") == true
        )
    }

    // MARK: - Get information about detected objects

    @Test func objectsSayWhereTheyAreAndWhatTheyAre() async throws {
        let detector = Vision.vision().objectDetector(options: Self.pictureOptions())
        let detectedObjects = try await detected(by: detector, in: VisionImage(image: Self.uiImage))
        // From the page:
        // detectedObjects contains one item if multiple object detection wasn't enabled.
        for obj in detectedObjects {
            let bounds = obj.frame
            let id = obj.trackingID

            // If classification was enabled:
            let category = obj.classificationCategory
            let confidence = obj.confidence
            // End
            #expect(bounds.minX >= 0 && bounds.width > 0)
            #expect(id == 0, "zero in a single picture")
            #expect((confidence == nil) == (category == .unknown))
        }
    }

    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func aDaisyIsAPlant() async throws {
        let detector = Vision.vision().objectDetector(options: Self.pictureOptions())
        let image = try VisionImage(image: UIImage(file: TestData.real("images/daisy.jpeg")))
        let detectedObjects = try await detected(by: detector, in: image)
        #expect(detectedObjects.contains { $0.classificationCategory == .plants && $0.confidence != nil })
    }
}
