import Foundation
import MLKit
import SightlineTestSupport
import Testing

/// The defaults of options: as in ML Kit.
@Suite(.hangLimit)
struct OptionDefaultsTests {
    private static let localModel = LocalModel(path: "model.tflite")
    private static let remoteModel = CustomRemoteModel(remoteModelSource: FirebaseModelSource(name: "plants"))

    @Test func allDetectorsFollowTheMostProminentObjectWithoutNamingIt() {
        let all: [CommonObjectDetectorOptions] = [
            ObjectDetectorOptions(), CustomObjectDetectorOptions(localModel: Self.localModel),
            CustomObjectDetectorOptions(remoteModel: Self.remoteModel),
        ]
        for options in all {
            #expect(options.detectorMode == .stream)
            #expect(!options.shouldEnableMultipleObjects)
            #expect(!options.shouldEnableClassification)
            #expect(options.maximumObjectCount == 5)
        }
    }

    @Test func detectorsWithAModelHaveNoThresholdAndTenLabels() {
        let all = [
            CustomObjectDetectorOptions(localModel: Self.localModel),
            CustomObjectDetectorOptions(remoteModel: Self.remoteModel),
        ]
        for options in all {
            #expect(options.classificationConfidenceThreshold == nil)
            #expect(options.maxPerObjectLabelCount == 10)
        }
    }

    @Test func labelersHaveNoThresholdAndTenLabels() {
        #expect(ImageLabelerOptions().confidenceThreshold == nil)
        let all = [
            CustomImageLabelerOptions(localModel: Self.localModel),
            CustomImageLabelerOptions(remoteModel: Self.remoteModel),
        ]
        for options in all {
            #expect(options.confidenceThreshold == nil)
            #expect(options.maxResultCount == 10)
        }
    }

    @Test func numbersComeBackAsTheyWereSet() {
        let options = CustomObjectDetectorOptions(localModel: Self.localModel)
        options.classificationConfidenceThreshold = NSNumber(value: 0.1)
        #expect(options.classificationConfidenceThreshold == 0.1)
        options.classificationConfidenceThreshold = nil
        #expect(options.classificationConfidenceThreshold == nil)
        options.maxPerObjectLabelCount = -3
        #expect(options.maxPerObjectLabelCount == -3)
    }

    @Test func downloadsMayUseAnyLinkInTheForeground() {
        let conditions = ModelDownloadConditions()
        #expect(conditions.allowsCellularAccess && !conditions.allowsBackgroundDownloading)
        let others = ModelDownloadConditions(allowsCellularAccess: false, allowsBackgroundDownloading: true)
        #expect(!others.allowsCellularAccess && others.allowsBackgroundDownloading)
        #expect(conditions != others)
        #expect(conditions.copy() as? ModelDownloadConditions == conditions)
        #expect(conditions == ModelDownloadConditions(allowsCellularAccess: true, allowsBackgroundDownloading: false))
    }

    @Test func modesHaveMLKitsNumbers() {
        #expect(ObjectDetectorMode.singleImage.rawValue == 0)
        #expect(ObjectDetectorMode.stream.rawValue == 1)
    }

    @Test func categoriesAreInMLKitsOrder() {
        let indices: [DetectedObjectLabelIndex] = [.fashionGood, .homeGood, .food, .place, .plant]
        #expect(indices.map(\.rawValue) == [0, 1, 2, 3, 4])
        let texts: [DetectedObjectLabel] = [.fashionGood, .homeGood, .food, .place, .plant]
        #expect(texts.map(\.rawValue) == ["Fashion good", "Home good", "Food", "Place", "Plant"])
    }

    @Test func keysOfNotificationsAreMLKits() {
        #expect(ModelDownloadUserInfoKey.remoteModel.rawValue == "MLKModelDownloadUserInfoKeyRemoteModel")
        #expect(ModelDownloadUserInfoKey.error.rawValue == "MLKModelDownloadUserInfoKeyError")
        #expect(NSNotification.Name.mlkitModelDownloadDidSucceed != .mlkitModelDownloadDidFail)
    }
}
