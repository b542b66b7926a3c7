// swift-format-ignore-file
// The part of AVFoundation that the adapters and the pages use, as Apple documents it; nothing of it works.
@_exported import CoreMedia

public final class AVCaptureDevice {
    public enum Position: Int, Sendable {
        case unspecified, back, front
    }
    init() {}
}

public class AVCaptureOutput: NSObject {}
public final class AVCaptureConnection: NSObject {}
public final class AVCaptureVideoDataOutput: AVCaptureOutput {
    public var alwaysDiscardsLateVideoFrames: Bool {
        get { true }
        set {}
    }
    public func setSampleBufferDelegate(
        _ delegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?,
        queue: DispatchQueue?
    ) {}
}
public protocol AVCaptureVideoDataOutputSampleBufferDelegate: NSObjectProtocol {
    func captureOutput(_ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
    func captureOutput(_ output: AVCaptureOutput, didDrop sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
}
