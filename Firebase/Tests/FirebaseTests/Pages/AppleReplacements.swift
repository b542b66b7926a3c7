// The parts of Apple's systems that the pages use, by the same names, so that their code stands as it is there. Nothing of the package is
// replaced. The table "Apple's own" of the documentation lists these.

import Firebase
import Foundation
import Sightline

/// For `UIImage`: a picture file.
struct UIImage: Sendable {
    let file: URL
}

/// For `CMSampleBuffer`: a frame of a camera, in BGRA.
struct CMSampleBuffer: Sendable {
    let pixels: PixelBuffer

    /// The frame that a camera would give that sees a picture.
    init(seeing file: URL) throws {
        let picture = try Sightline.VisionImage(contentsOf: file).upright()
        var bytes = Data(capacity: picture.width * picture.height * 4)
        for row in 0..<picture.height {
            for column in 0..<picture.width {
                let start = picture.planes[0].data.startIndex + row * picture.planes[0].bytesPerRow + column * 3
                let rgb = picture.planes[0].data[start..<start + 3]
                bytes.append(contentsOf: rgb.reversed())
                bytes.append(255)
            }
        }
        pixels = try PixelBuffer(
            format: .bgra,
            width: picture.width,
            height: picture.height,
            planes: [PixelBuffer.Plane(data: bytes, bytesPerRow: picture.width * 4)]
        )
    }
}

extension Firebase.VisionImage {
    /// For the initialiser that takes Apple's.
    convenience init(image: UIImage) throws { try self.init(contentsOf: image.file) }

    /// For the initialiser that takes Apple's.
    convenience init(buffer: CMSampleBuffer) { self.init(Sightline.VisionImage(pixels: buffer.pixels)) }
}

/// For `UIDeviceOrientation`.
enum UIDeviceOrientation: CaseIterable {
    case unknown, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
}

/// For `UIDevice`: one that stands upright.
struct UIDevice {
    static let current = UIDevice()
    let orientation = UIDeviceOrientation.portrait
}

/// For `AVCaptureDevice`.
enum AVCaptureDevice {
    enum Position: CaseIterable { case unspecified, back, front }
}

/// For `Bundle`: a folder of the test's.
struct Bundle: Sendable {
    @TaskLocal static var main = Bundle(folder: URL(filePath: "/nowhere"))
    let folder: URL

    func path(forResource name: String, ofType type: String, inDirectory subfolder: String = "") -> String? {
        let path = folder.appending(path: subfolder).appending(path: "\(name).\(type)").path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}

/// For `CGImage`: a picture in memory.
struct CGImage {
    let width: Int
    let height: Int
    fileprivate let rgb: Data

    /// A picture file, squeezed to a size by taking the nearest pixel.
    init(_ file: URL, width: Int, height: Int) throws {
        let picture = try Sightline.VisionImage(contentsOf: file).upright()
        var bytes = Data(capacity: width * height * 3)
        for row in 0..<height {
            for column in 0..<width {
                let (y, x) = (row * picture.height / height, column * picture.width / width)
                let start = picture.planes[0].data.startIndex + y * picture.planes[0].bytesPerRow + x * 3
                bytes.append(picture.planes[0].data[start..<start + 3])
            }
        }
        (self.width, self.height, rgb) = (width, height, bytes)
    }
}

/// For `CGColorSpace`, of which there is one.
struct CGColorSpace {}

/// For the function of Core Graphics.
// swift-format-ignore: AlwaysUseLowerCamelCase
func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace() }

/// For `CGImageAlphaInfo`.
enum CGImageAlphaInfo: UInt32 {
    case noneSkipFirst = 6
}

/// For `CGContext`: draws pictures of its own size.
final class CGContext {
    let width: Int
    let height: Int
    private let memory: UnsafeMutableRawBufferPointer

    /// The first pixel, of which each has four bytes: an unused one, red, green, blue.
    var data: UnsafeMutableRawPointer? { memory.baseAddress }

    init?(
        data: UnsafeMutableRawPointer?,
        width: Int,
        height: Int,
        bitsPerComponent: Int,
        bytesPerRow: Int,
        space: CGColorSpace,
        bitmapInfo: UInt32
    ) {
        guard data == nil, bitsPerComponent == 8, bytesPerRow == width * 4,
            bitmapInfo == CGImageAlphaInfo.noneSkipFirst.rawValue
        else { return nil }
        (self.width, self.height) = (width, height)
        memory = .allocate(byteCount: width * height * 4, alignment: 1)
    }

    deinit { memory.deallocate() }

    func draw(_ image: CGImage, in rect: CGRect) {
        guard rect == CGRect(x: 0, y: 0, width: width, height: height), (image.width, image.height) == (width, height)
        else { return }
        for pixel in 0..<width * height {
            for channel in 0..<3 { memory[4 * pixel + 1 + channel] = image.rgb[3 * pixel + channel] }
        }
    }
}
