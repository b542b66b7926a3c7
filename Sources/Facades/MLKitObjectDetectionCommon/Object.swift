import FacadeSupport
public import Foundation
import Sightline

/// An object in a picture. (`MLKObject`)
#if canImport(ObjectiveC)
    @objc(MLKObject) @objcMembers
#endif
public final class Object: NSObject, Sendable {
    /// The bounding box in pixels of the upright picture.
    public let frame: CGRect
    /// The labels, most confident first; empty if classification is off or no label is confident enough.
    public let labels: [ObjectLabel]
    /// The identity in a stream: a positive number that stays the same in all pictures. Nil in single pictures.
    public let trackingID: NSNumber?

    init(_ object: DetectedObject) {
        frame = CGRect(object.frame)
        labels = object.labels.map(ObjectLabel.init)
        trackingID = object.id.map { NSNumber(value: $0) }
    }
}

/// A label that a model assigns to an object. (`MLKObjectLabel`)
#if canImport(ObjectiveC)
    @objc(MLKObjectLabel) @objcMembers
#endif
public final class ObjectLabel: NSObject, Sendable {
    /// The name of the label; empty if the model has no labels.
    public let text: String
    /// The position of the label among the model's outputs.
    public let index: Int
    /// The confidence, 0…1.
    public let confidence: Float

    init(_ label: Label) {
        text = label.text
        index = label.index
        confidence = label.confidence
    }
}
