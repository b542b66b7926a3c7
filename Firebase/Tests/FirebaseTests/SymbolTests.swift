import Firebase
import FirebaseMLCommon
import FirebaseMLModelInterpreter
import FirebaseMLVision
import FirebaseMLVisionAutoML
import FirebaseMLVisionObjectDetection
import HubTestSupport
import SightlineTestSupport
import Testing

/// Symbols that code for Firebase 6.25 takes for granted, beyond its guides.
@Suite(.hangLimit)
struct SymbolTests {
    @Test func eachModuleOfThePodsGivesItsNames() {
        #expect(FirebaseMLCommon.CustomRemoteModel(name: "a").name == "a")
        #expect(FirebaseMLModelInterpreter.CustomLocalModel(modelPath: "a").path == "a")
        #expect(FirebaseMLVision.VisionImageMetadata().orientation == .topLeft)
        #expect(FirebaseMLVisionAutoML.AutoMLLocalModel(manifestPath: "a").path == "a")
        #expect(FirebaseMLVisionObjectDetection.VisionObjectDetectorOptions().detectorMode == .stream)
    }

    @Test func classesAreObjectsOfFoundation() throws {
        let app = FirebaseOptions(googleAppID: "1", gcmSenderID: "2")
        let picture = try VisionImage(contentsOf: TestData.fixture("images/large.png"))
        let objects: [NSObject] = [
            Vision.vision(), Vision.vision().objectDetector(), Vision.vision().onDeviceImageLabeler(),
            VisionObjectDetectorOptions(), VisionOnDeviceImageLabelerOptions(), picture, VisionImageMetadata(),
            CustomRemoteModel(name: "a"), CustomLocalModel(modelPath: "a"), ModelManager.modelManager(), app,
        ]
        for object in objects { #expect(object == object && !object.description.isEmpty) }
        #expect(Set(objects).count == objects.count)
        #expect(objects.firstIndex(of: picture) == 5)
    }

    @Test func equalModelsAreOneInASet() {
        #expect(Set([CustomRemoteModel(name: "a"), CustomRemoteModel(name: "a")]).count == 1)
        let models: Set<RemoteModel> = [CustomRemoteModel(name: "a"), AutoMLRemoteModel(name: "a")]
        #expect(models.contains(AutoMLRemoteModel(name: "a")) && models.count == 2)
    }

    @Test func objectsOfAPictureCanBeCompared() async throws {
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .singleImage
        let detector = Vision.vision().objectDetector(options: options)
        let objects = try await detector.process(VisionImage(contentsOf: TestData.fixture("images/large.png")))
        let object = try #require(objects.first)
        #expect(objects.firstIndex(of: object) == 0 && Set(objects) == [object])
    }

    @Test func theLabelersCallbackHasFirebasesName() async throws {
        let image = try VisionImage(contentsOf: TestData.fixture("images/large.png"))
        let isDone: Bool = await withCheckedContinuation { continuation in
            let callback: VisionImageLabelerCallback = { labels, error in
                continuation.resume(returning: (labels == nil) != (error == nil))
            }
            Vision.vision().onDeviceImageLabeler().process(image, completion: callback)
        }
        #expect(isDone)
    }

    @Test func thePathOfAModelOutOfANotificationCanBeAskedFor() async throws {
        try await DefaultApp.withHub { hub in
            try await hub.publish("from_info", Data(contentsOf: TestData.fixture("models/add.tflite")))
            let ends = DownloadEnds(of: "from_info")
            let manager = ModelManager.modelManager()
            manager.download(CustomRemoteModel(name: "from_info"), conditions: ModelDownloadConditions())
            let model: RemoteModel = try #require(await ends.next().model)
            var path: String?
            manager.getLatestModelFilePath(model) { found, _ in path = found }
            #expect(try await manager.getLatestModelFilePath(model) == path)
            #expect(path?.hasSuffix(".tflite") == true)
        }
        await #expect(throws: NSError.self) {
            try await ModelManager.modelManager().getLatestModelFilePath(AutoMLRemoteModel(name: "gone"))
        }
    }

    @Test func keysOfNotificationsAreMadeOfText() {
        let key = ModelDownloadUserInfoKey("FIRModelDownloadUserInfoKeyError")
        #expect(key == .error && key == ModelDownloadUserInfoKey(rawValue: key.rawValue))
    }

    @Test func settingsOfTheProgramAreThere() async throws {
        FirebaseConfiguration.shared.setLoggerLevel(.min)
        FirebaseConfiguration.shared.setLoggerLevel(.max)
        let levels: [FirebaseLoggerLevel] = [.error, .warning, .notice, .info, .debug]
        #expect(levels.map(\.rawValue) == [3, 4, 5, 6, 7])
        #expect(FirebaseVersion() == "6.25.0")
        FirebaseApp.configure(name: "settings", options: FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2"))
        let app = try #require(FirebaseApp.app(name: "settings"))
        #expect(!app.isDataCollectionDefaultEnabled)
        app.isDataCollectionDefaultEnabled = true
        #expect(app.isDataCollectionDefaultEnabled)
        let isDeleted: Bool = await withCheckedContinuation { continuation in
            let callback: FirebaseAppVoidBoolCallback = { continuation.resume(returning: $0) }
            app.delete(callback)
        }
        #expect(isDeleted)
    }

    @Test func optionsKeepWhatNothingHereNeeds() {
        let options = FirebaseOptions(googleAppID: "1", gcmSenderID: "2")
        options.appGroupID = "a"
        options.trackingID = "b"
        options.androidClientID = "c"
        options.deepLinkURLScheme = "d"
        let copy = options.copy() as? FirebaseOptions
        #expect(copy == options && copy?.appGroupID == "a" && copy?.trackingID == "b")
        #expect(copy?.androidClientID == "c" && copy?.deepLinkURLScheme == "d")
    }
}
