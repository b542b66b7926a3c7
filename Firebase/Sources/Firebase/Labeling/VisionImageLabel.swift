import Foundation
import Sightline

/// A label of a picture.
#if canImport(ObjectiveC)
    @objc(FIRVisionImageLabel) @objcMembers
#endif
public final class VisionImageLabel: NSObject, Sendable {
    /// The name of the label.
    public let text: String
    private let value: Float

    /// The confidence, 0…1.
    public var confidence: NSNumber? { NSNumber(value: value) }
    /// Always nil: the models here do not use Google's Knowledge Graph.
    public var entityID: String? { nil }

    init(_ label: Label) {
        text = label.text
        value = label.confidence
    }
}

/// The location and the origin of a labeler's model.
#if canImport(ObjectiveC)
    @objc(FIRVisionImageLabelerType)
#endif
public enum VisionImageLabelerType: UInt, Sendable {
    /// The built-in model.
    case onDevice = 0
    /// Google's cloud; labelers here never use it.
    case cloud = 1
    /// The app's own model.
    case onDeviceAutoML = 2
}
