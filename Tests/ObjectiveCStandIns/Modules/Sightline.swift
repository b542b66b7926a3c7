// swift-format-ignore-file
public import CoreMedia
public import Foundation
public import UIKit

public struct PixelSize: Sendable {
    public let width, height: Int
}
public struct PixelRect: Sendable {}
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
