#if canImport(ImageIO) && canImport(CoreGraphics)
    import CoreGraphics
    import Foundation
    import ImageIO

    // Image I/O takes the place of the C libraries on Apple's systems. The other formats are read by Swift code on all systems.

    extension JPEGCodec {
        func open(_ data: Data) throws(ImageError) -> any CodedImage { try ImageIOImage(data, format: name) }

        func encode(_ picture: PixelBuffer, quality: Int) throws(ImageError) -> Data {
            let share = Double(min(max(quality, 1), 100)) / 100
            return try picture.file(
                ofType: "public.jpeg",
                format: name,
                options: [kCGImageDestinationLossyCompressionQuality: share]
            )
        }
    }

    extension PNGCodec {
        func open(_ data: Data) throws(ImageError) -> any CodedImage { try ImageIOImage(data, format: name) }

        func encode(_ picture: PixelBuffer, quality: Int) throws(ImageError) -> Data {
            try picture.file(ofType: "public.png", format: name, options: [:])
        }
    }

    extension WebPCodec {
        func open(_ data: Data) throws(ImageError) -> any CodedImage { try ImageIOImage(data, format: name) }
    }

    extension HEIFCodec {
        func open(_ data: Data) throws(ImageError) -> any CodedImage { try ImageIOImage(data, format: name) }
    }

    extension PixelBuffer {
        /// Makes a file of a picture in the format `rgb` or `rgba`.
        ///
        /// - Parameter type: The file's type as an identifier of Apple's.
        fileprivate func file(
            ofType type: String,
            format: String,
            options: [CFString: Any]
        ) throws(ImageError) -> Data {
            let output = NSMutableData()
            guard let image = coreGraphicsImage,
                let file = CGImageDestinationCreateWithData(output as CFMutableData, type as CFString, 1, nil)
            else {
                throw .encodingFailed(format: format, reason: "Image I/O does not take it")
            }
            CGImageDestinationAddImage(file, image, options as CFDictionary)
            guard CGImageDestinationFinalize(file) else {
                throw .encodingFailed(format: format, reason: "Image I/O cannot write it")
            }
            return Data(referencing: output)
        }
    }

    extension PixelBuffer {
        /// The pixels as Core Graphics has them; nil for another format than `rgb` and `rgba`.
        fileprivate var coreGraphicsImage: CGImage? {
            guard format == .rgb || format == .rgba, let plane = planes.first,
                let provider = CGDataProvider(data: plane.data as CFData)
            else { return nil }
            return CGImage(
                width: width,
                height: height,
                bitsPerComponent: 8,
                bitsPerPixel: format == .rgb ? 24 : 32,
                bytesPerRow: plane.bytesPerRow,
                space: CGColorSpaceCreateDeviceRGB(),
                bitmapInfo: CGBitmapInfo(rawValue: (format == .rgb ? CGImageAlphaInfo.none : .last).rawValue),
                provider: provider,
                decode: nil,
                shouldInterpolate: false,
                intent: .defaultIntent
            )
        }
    }
#endif
