import Foundation
import Sightline

/// The program of `Scripts/tools fuzz images`. It reads paths of pictures on standard input, one a line, decodes each as a
/// detector does, and prints one line: `ok`, or `error` and the case.
@main
struct ImageProbe {
    /// Small enough that a picture within it is decoded in well under a second.
    static let limits = ImageLimits(maximumPixels: 4_000_000)

    static func main() {
        while let path = readLine() {
            // Written at once, since the script waits for it.
            FileHandle.standardOutput.write(Data("\(outcome(of: path))\n".utf8))
        }
    }

    private static func outcome(of path: String) -> String {
        do throws(ImageError) {
            try look(at: URL(filePath: path))
            return "ok"
        } catch {
            return "error " + (Mirror(reflecting: error).children.first?.label ?? "empty")
        }
    }

    private static func look(at url: URL) throws(ImageError) {
        let image = try VisionImage(contentsOf: url, limits: limits)
        let whole = PixelRect(image.size)
        let part = PixelRect(x: whole.width / 3, y: whole.height / 4, width: whole.width / 2, height: whole.height / 2)
        let square = PixelSize(width: 96, height: 96)
        var first: ImageError?
        for (region, fit, type) in [
            (whole, ImageFit.stretch, InputFormat(size: square)),
            // So small that a JPEG is decoded from a few frequencies.
            (whole, .stretch, InputFormat(size: PixelSize(width: 24, height: 24))),
            (whole, .stretch, InputFormat(size: PixelSize(width: 12, height: 12))),
            (part, .crop, InputFormat(size: square, layout: .nchw, dataType: .float32)),
            (
                part, .letterbox(fill: 114, anchor: .center),
                InputFormat(size: square, channels: .gray, dataType: .float16)
            ),
        ] {
            do throws(ImageError) {
                let placement = Placement(region, into: type.size, fit: fit)
                let decoded = try image.decoded(for: [placement])
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size(of: type), alignment: 64)
                defer { buffer.deallocate() }
                try decoded.write(placement, as: type, into: buffer)
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
        _ = try image.upright()
    }

    private static func size(of format: InputFormat) -> Int {
        let element =
            switch format.dataType {
            case .float32: 4
            case .float16: 2
            default: 1
            }
        return format.size.width * format.size.height * format.channels.count * element
    }
}
