import FacadeSupport
public import Foundation
import Sightline

/// An object in a picture. (`MLKObject`)
public final class Object: NSObject, Sendable {
    /// Where it is, in pixels of the upright picture.
    public let frame: CGRect
    /// What it is, the most confident label first; empty if classification is off or no label is confident enough.
    public let labels: [ObjectLabel]
    /// The identity in a stream: positive, the same in all its pictures. Nil in single pictures.
    public let trackingID: NSNumber?

    init(_ object: DetectedObject) {
        frame = CGRect(object.frame)
        labels = object.labels.map(ObjectLabel.init)
        trackingID = object.id.map { NSNumber(value: $0) }
    }
}

/// A name that a model gives to an object. (`MLKObjectLabel`)
public final class ObjectLabel: NSObject, Sendable {
    /// The name, from the model's labels; empty if the model comes without labels.
    public let text: String
    /// The position of the label among the model's outputs.
    public let index: Int
    /// How sure the model is, 0…1.
    public let confidence: Float

    init(_ label: Label) {
        text = label.text
        index = label.index
        confidence = label.confidence
    }
}
