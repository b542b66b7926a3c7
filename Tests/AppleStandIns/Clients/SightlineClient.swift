// An app's code with Sightline and Apple's types.
import AVFoundation
import AppKit
import ImageIO
import Sightline
import SwiftUI
import UIKit

func pictures(of uiImage: UIImage, _ image: CGImage, _ frame: CMSampleBuffer, _ pixels: CVPixelBuffer) throws
    -> [VisionImage]
{
    let orientation = ImageOrientation(
        deviceOrientation: DeviceOrientation(UIDeviceOrientation.portrait),
        cameraPosition: CameraPosition(AVCaptureDevice.Position.back)
    )
    return [
        try VisionImage(uiImage),
        try VisionImage(image, orientation: ImageOrientation(CGImagePropertyOrientation.right)),
        try VisionImage(frame, orientation: orientation),
        try VisionImage(pixels, orientation: ImageOrientation(uiImage.imageOrientation)),
        VisionImage(pixels: try PixelBuffer(pixels)),
    ]
}

@MainActor final class CameraModel {
    var result: StreamResult?
    private let output = AVCaptureVideoDataOutput()

    func follow() async throws {
        let detector = try StreamDetector()
        let camera = CameraFrames { .right }
        camera.attach(to: output)
        for try await analyzed in detector.results(in: camera.frames, policy: .newest) { result = analyzed.result }
    }

    func boxes() -> ObjectBoxes? {
        result.map { ObjectBoxes($0.objects, in: $0.size, scaling: .fill) }
    }
}

@MainActor func overlay(_ result: StreamResult, on preview: UIView) {
    let boxes = ObjectBoxesView(frame: preview.bounds)
    boxes.scaling = .fill
    boxes.color = .yellow
    preview.addSubview(boxes)
    boxes.show(result.objects, in: result.size)
}

func picture(of image: NSImage) throws -> VisionImage { try VisionImage(image) }
