import Testing

@testable import Sightline

@Suite struct CameraOrientationTests {
    @Test(arguments: [
        (DeviceOrientation.portrait, CameraPosition.back, ImageOrientation.right),
        (.portrait, .front, .leftMirrored),
        (.landscapeLeft, .back, .up), (.landscapeLeft, .front, .downMirrored),
        (.portraitUpsideDown, .back, .left), (.portraitUpsideDown, .front, .rightMirrored),
        (.landscapeRight, .back, .down), (.landscapeRight, .front, .upMirrored),
        (.faceUp, .front, .up), (.faceDown, .back, .up), (.unknown, .unspecified, .up),
    ])
    func deviceAndCameraGiveTheOrientationOfMLKitsGuides(
        device: DeviceOrientation,
        camera: CameraPosition,
        expected: ImageOrientation
    ) {
        #expect(ImageOrientation(deviceOrientation: device, cameraPosition: camera) == expected)
    }
}
