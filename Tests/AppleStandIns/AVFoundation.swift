// swift-format-ignore-file
// What the adapters and the pages use of AVFoundation, as Apple documents it; nothing of it works.
@_exported import CoreMedia

public final class AVCaptureDevice {
    public enum Position: Int, Sendable {
        case unspecified, back, front
    }
    init() {}
}
