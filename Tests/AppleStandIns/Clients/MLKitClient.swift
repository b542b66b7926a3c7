// Code of ML Kit's page with Apple's types.
import AVFoundation
import MLImage
import MLKitVision
import UIKit

func imageOrientation(
    deviceOrientation: UIDeviceOrientation,
    cameraPosition: AVCaptureDevice.Position
) -> UIImage.Orientation {
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

@MainActor func pictures(of uiImage: UIImage, _ sampleBuffer: CMSampleBuffer, _ pixels: CVPixelBuffer) -> [VisionImage]
{
    let visionImage = VisionImage(image: uiImage)
    visionImage.orientation = uiImage.imageOrientation
    let image = VisionImage(buffer: sampleBuffer)
    image.orientation = imageOrientation(
        deviceOrientation: UIDevice.current.orientation,
        cameraPosition: AVCaptureDevice.Position.back
    )
    let others = [MLImage(image: uiImage), MLImage(sampleBuffer: sampleBuffer), MLImage(pixelBuffer: pixels)]
    others.first??.orientation = .right
    for case let other? in others {
        switch other.imageSourceType {
        case .image: print(other.image?.imageOrientation ?? .up)
        case .pixelBuffer: print(other.pixelBuffer == nil)
        case .sampleBuffer: print(other.sampleBuffer == nil)
        default: break
        }
    }
    return [visionImage, image]
}
