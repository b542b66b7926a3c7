import Foundation
import SightlineImages
import SightlineTestSupport

/// Drawn pictures of labels that a model can tell apart: rectangles at any places, reddish or bluish.
enum DrawnPhotos {
    /// A PNG for a label: 0, 1 or 2.
    static func picture(_ label: Int, _ number: Int, side: Int = 64) throws -> Data {
        var state = UInt64(label * 1000 + number + 1) &* 0x9E37_79B9_7F4A_7C15
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var pixels = [UInt8](repeating: 0, count: side * side * 3)
        for index in pixels.indices { pixels[index] = UInt8(40 + random(60)) }
        for _ in 0..<6 {
            let (x, y) = (random(side), random(side))
            let (width, height) = (8 + random(side / 2), 8 + random(side / 2))
            let bright = UInt8(150 + random(100))
            for row in y..<min(y + height, side) {
                for column in x..<min(x + width, side) {
                    for channel in 0..<3 {
                        pixels[(row * side + column) * 3 + channel] = channel == label ? bright : UInt8(random(50))
                    }
                }
            }
        }
        let buffer = try PixelBuffer(
            format: .rgb,
            width: side,
            height: side,
            planes: [.init(data: Data(pixels), bytesPerRow: side * 3)]
        )
        return try buffer.encoded(as: .png)
    }

    /// A zip archive with a folder for each label.
    static func archive(_ labels: [String] = ["red", "green", "blue"], count: Int = 8) throws -> Data {
        var zip = ZipBuilder()
        for (label, name) in labels.enumerated() {
            for number in 0..<count { zip.add("\(name)/\(number).png", try picture(label, number)) }
        }
        return zip.data
    }
}

/// Photos with boxes.
extension DrawnPhotos {
    /// A zip archive of photos with annotations in COCO's format.
    ///
    /// - Parameters:
    ///   - photos: The number of each photo, and its boxes: the label, the edges, and whether it is a group.
    ///   - width: The width that the annotations give all photos.
    static func annotated(_ photos: [(number: Int, boxes: [(String, [Double], Int)])], width: Int = 64) throws -> Data {
        try annotated(photos.map { (try picture(0, $0.number), $0.boxes) }, width: width, height: 64)
    }

    private static func annotated(
        _ photos: [(data: Data, boxes: [(String, [Double], Int)])],
        width: Int,
        height: Int
    ) throws -> Data {
        var zip = ZipBuilder()
        var images: [[String: Any]] = []
        var annotations: [[String: Any]] = []
        let labels = Set(photos.flatMap { $0.boxes.map(\.0) } + ["bolt"]).sorted()
        for (index, photo) in photos.enumerated() {
            zip.add("images/\(index + 1).png", photo.data)
            images.append(["id": index + 1, "file_name": "\(index + 1).png", "width": width, "height": height])
            for (label, box, isGroup) in photo.boxes {
                annotations.append([
                    "id": annotations.count + 1, "image_id": index + 1, "bbox": box, "iscrowd": isGroup,
                    "category_id": (labels.firstIndex(of: label) ?? 0) + 1,
                ])
            }
        }
        let categories = labels.enumerated().map { ["id": $0 + 1, "name": $1] as [String: Any] }
        zip.add(
            "annotations.json",
            try JSONSerialization.data(
                withJSONObject: ["images": images, "annotations": annotations, "categories": categories]
            )
        )
        return zip.data
    }

    /// A picture of a brick and a pond before a wall, and their boxes.
    static func scene(_ number: Int) throws -> (data: Data, boxes: [(String, [Double], Int)]) {
        var state = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let (width, height) = (320, 240)
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        for place in 0..<width * height {
            let shade = UInt8(144 + random(13))
            for channel in 0..<3 { pixels[3 * place + channel] = shade }
        }
        var boxes: [(String, [Double], Int)] = []
        let things: [(String, [UInt8], Int)] = [("brick", [190, 60, 40], 0), ("pond", [40, 90, 190], 155)]
        for (label, color, left) in things {
            let size = (70 + random(40), 70 + random(40))
            let (x, y) = (left + 10 + random(140 - size.0), 10 + random(210 - size.1))
            for row in y..<y + size.1 {
                for column in x..<x + size.0 {
                    for channel in 0..<3 { pixels[3 * (row * width + column) + channel] = color[channel] }
                }
            }
            boxes.append((label, [x, y, size.0, size.1].map(Double.init), 0))
        }
        let buffer = try PixelBuffer(
            format: .rgb,
            width: width,
            height: height,
            planes: [.init(data: Data(pixels), bytesPerRow: width * 3)]
        )
        return (try buffer.encoded(as: .png), boxes)
    }

    /// A zip archive of such pictures with their annotations.
    static func scenes(count: Int) throws -> Data {
        try annotated((1...count).map { try scene($0) }, width: 320, height: 240)
    }
}
