import CommandLineSupport
import Foundation
import Sightline

/// Pixels on standard output, for programs: red, green and blue, three bytes a pixel, rows from the top without gaps.
enum PixelOutput {
    /// Writes the pixels of an upright RGB picture. Waits for the reader.
    static func write(_ pixels: PixelBuffer) {
        let rowBytes = 3 * pixels.width
        for plane in pixels.planes.prefix(1) {
            guard plane.bytesPerRow != rowBytes else {
                return StandardOutput.writeExactly(plane.data.prefix(rowBytes * pixels.height))
            }
            for row in 0..<pixels.height {
                StandardOutput.writeExactly(plane.data.dropFirst(row * plane.bytesPerRow).prefix(rowBytes))
            }
        }
    }
}
