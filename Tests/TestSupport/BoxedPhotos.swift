import Foundation
import SightlineImages

/// Generated pictures with bricks and ponds before a wall, and their boxes.
public enum BoxedPhotos {
    /// A picture with a brick on its left and a pond on its right.
    public struct Scene {
        /// The picture as PNG.
        public let png: Data
        /// The box of the brick.
        public let brick: PixelRect
        /// The box of the pond.
        public let pond: PixelRect
    }

    /// The size of each picture.
    public static let size = PixelSize(width: 320, height: 240)

    /// The picture with a number.
    public static func scene(_ number: Int) throws -> Scene {
        var random = RepeatableRandom(seed: UInt64(number) &* 104_729 &+ 11)
        func box(from left: Int) -> (x: Int, y: Int, width: Int, height: Int) {
            let (width, height) = (Int.random(in: 70...110, using: &random), Int.random(in: 70...110, using: &random))
            return (
                left + Int.random(in: 10...(150 - width), using: &random),
                Int.random(in: 10...(220 - height), using: &random), width, height
            )
        }
        let things = [(box(from: 0), [200, 70, 50]), (box(from: 155), [60, 90, 210])]
        var bytes = Data()
        for row in 0..<size.height {
            for column in 0..<size.width {
                let shade = Int.random(in: -6...6, using: &random)
                var color = [150 + shade, 150 + shade, 145 + shade]
                for (box, own) in things
                where (box.x..<box.x + box.width).contains(column) && (box.y..<box.y + box.height).contains(row) {
                    color = own
                }
                bytes.append(contentsOf: color.map { UInt8(clamping: $0) })
            }
        }
        let pixels = try PixelBuffer(
            format: .rgb,
            width: size.width,
            height: size.height,
            planes: [.init(data: bytes, bytesPerRow: size.width * 3)]
        )
        func rect(_ box: (x: Int, y: Int, width: Int, height: Int)) -> PixelRect {
            PixelRect(x: Double(box.x), y: Double(box.y), width: Double(box.width), height: Double(box.height))
        }
        return Scene(png: try pixels.encoded(as: .png), brick: rect(things[0].0), pond: rect(things[1].0))
    }

    /// Annotations in COCO's format with these labels, and the pictures in the folder `images`.
    ///
    /// - Parameter more: Further annotations: the picture's number, the label's, and the box.
    public static func write(
        _ count: Int = 10,
        labels: [String] = ["brick", "pond"],
        more: [(image: Int, category: Int, box: [Double])] = [],
        in folder: URL
    ) throws -> URL {
        var files: [String: Data] = [:]
        var (images, annotations): ([[String: Any]], [[String: Any]]) = ([], [])
        for number in 1...count {
            let scene = try scene(number)
            files["images/\(number).png"] = scene.png
            images.append(["id": number, "file_name": "\(number).png", "width": size.width, "height": size.height])
            for (category, box) in [scene.brick, scene.pond].enumerated() where category < labels.count {
                annotations.append([
                    "image_id": number, "category_id": category + 1, "bbox": [box.x, box.y, box.width, box.height],
                ])
            }
        }
        for (image, category, box) in more {
            annotations.append(["image_id": image, "category_id": category, "bbox": box])
        }
        let categories = labels.enumerated().map { ["id": $0 + 1, "name": $1] as [String: Any] }
        files["annotations.json"] = try JSONSerialization.data(withJSONObject: [
            "images": images, "categories": categories, "annotations": annotations,
        ])
        try Pictures.write(files, in: folder)
        return folder.appending(path: "annotations.json")
    }
}
