import Foundation
import Sightline

/// What a picture shows.
public final class VisionImageLabel: NSObject, Sendable {
    /// The name, from the model's labels.
    public let text: String
    private let value: Float

    /// How sure the model is, 0…1.
    public var confidence: NSNumber? { NSNumber(value: value) }
    /// Always nil: Google's Knowledge Graph is not part of any model here.
    public var entityID: String? { nil }

    init(_ label: Label) {
        text = label.text
        value = label.confidence
    }
}

/// Where the model of a labeler runs and comes from.
public enum VisionImageLabelerType: UInt, Sendable {
    /// The built-in model.
    case onDevice = 0
    /// In Google's cloud; no labeler here does.
    case cloud = 1
    /// A model of the app's own.
    case onDeviceAutoML = 2
}
