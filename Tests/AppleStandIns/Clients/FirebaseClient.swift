// Code of Firebase's pages with Apple's types.
import AVFoundation
import Firebase
import UIKit

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

@MainActor final class ViewController {
    let objectDetector = Vision.vision().objectDetector()
    var count = 0

    func detect(in uiImage: UIImage) {
        let image = VisionImage(image: uiImage)
        objectDetector.process(image) { [weak self] detectedObjects, error in
            guard error == nil else { return }
            guard let detectedObjects = detectedObjects, !detectedObjects.isEmpty else { return }
            self?.count += detectedObjects.count
        }
    }

    func detect(in sampleBuffer: CMSampleBuffer) {
        let cameraPosition = AVCaptureDevice.Position.back
        let metadata = VisionImageMetadata()
        metadata.orientation = imageOrientation(
            deviceOrientation: UIDevice.current.orientation,
            cameraPosition: cameraPosition
        )
        let image = VisionImage(buffer: sampleBuffer)
        image.metadata = metadata
        objectDetector.process(image) { _, _ in }
    }
}
