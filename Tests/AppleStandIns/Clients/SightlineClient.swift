// What an app writes with Sightline and Apple's types.
import AVFoundation
import ImageIO
import Sightline
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
