// swift-format-ignore-file
// What the adapters use of Image I/O, as Apple documents it; nothing of it works.
public enum CGImagePropertyOrientation: UInt32, Sendable {
    case up = 1, upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left
}
