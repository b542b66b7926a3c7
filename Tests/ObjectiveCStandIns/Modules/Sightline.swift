// swift-format-ignore-file
public import CoreMedia
public import Foundation
public import UIKit

public struct PixelSize: Sendable {
    public let width, height: Int
}
public struct PixelRect: Sendable {
    public let width: Double
}
public struct PixelPoint: Sendable {
    public let x, y: Double
}
public struct ObjectPoint: Sendable {
    public struct Name: Sendable, Hashable {
        public static let nose = Name(), noseTip = Name(), mouthCenter = Name(), leftEarTragion = Name(), rightEarTragion = Name()
        public static let leftEye = Name(), rightEye = Name(), leftEar = Name(), rightEar = Name()
        public static let leftShoulder = Name(), rightShoulder = Name(), leftElbow = Name(), rightElbow = Name()
        public static let leftWrist = Name(), rightWrist = Name(), leftHip = Name(), rightHip = Name()
        public static let leftKnee = Name(), rightKnee = Name(), leftAnkle = Name(), rightAnkle = Name()
    }
    public let name: Name
    public let position: PixelPoint
    public let confidence: Float?
}
public struct PixelBuffer: Sendable {}
public struct Label: Sendable {
    public let text: String
    public let index: Int
    public let confidence: Float
}
public struct DetectedObject: Sendable {
    public let id: Int?
    public let frame: PixelRect
    public let labels: [Label]
    public let points: [ObjectPoint]?
}
public enum ImageOrientation: Sendable {
    case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
    public init(_ orientation: UIImage.Orientation) { self = .up }
}
extension UIImage.Orientation {
    public init(_ orientation: ImageOrientation) { self = .up }
}
public struct VisionImage: Sendable {
    public let size: PixelSize
    public let orientation: ImageOrientation
    public init(contentsOf url: URL) throws { fatalError() }
    public init(data: Data) throws { fatalError() }
    public init(pixels: PixelBuffer) { fatalError() }
    public init(_ image: UIImage) throws { fatalError() }
    public init(_ pixels: CVPixelBuffer) throws { fatalError() }
    public init(_ frame: CMSampleBuffer) throws { fatalError() }
}
public struct AutoMLExport: Sendable {
    public let model: URL
    public init(manifest: URL) throws { fatalError() }
}
