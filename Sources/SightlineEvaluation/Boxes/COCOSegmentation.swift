import Foundation
import Sightline

/// The outline of an object in COCO's format: polygons, or runs as numbers or as pycocotools' text. A box of four numbers stands for its
/// corners, as in pycocotools.
enum COCOSegmentation: Decodable {
    case polygons([[Double]])
    case runs(size: PixelSize, counts: [Int])
    case text(size: PixelSize, String)
    /// Something else, which an error names with its place.
    case other

    private struct Runs: Decodable {
        let size: [Int]
        let counts: Counts
    }

    private enum Counts: Decodable {
        case numbers([Int])
        case text(String)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                self = .text(text)
            } else {
                self = .numbers(try value.decode([Int].self))
            }
        }
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let polygons = try? value.decode([[Double]].self), !polygons.isEmpty {
            self = .polygons(polygons)
        } else if let runs = try? value.decode(Runs.self), runs.size.count == 2, runs.size.allSatisfy({ $0 >= 0 }) {
            let size = PixelSize(width: runs.size[1], height: runs.size[0])
            switch runs.counts {
            case .numbers(let counts): self = .runs(size: size, counts: counts)
            case .text(let text): self = .text(size: size, text)
            }
        } else {
            self = .other
        }
    }

    /// The pixels of the object in a picture; nil if the outline cannot be used.
    func mask(in size: PixelSize) -> COCOMask? {
        switch self {
        case .polygons(let polygons):
            let areBoxes = polygons.first?.count == 4
            let masks = polygons.compactMap { polygon -> COCOMask? in
                let corners = areBoxes ? PixelRect(bbox: polygon).map(\.corners) : polygon
                return corners.flatMap { COCOMask(polygon: $0, size: size) }
            }
            return masks.count == polygons.count ? COCOMask.union(masks) : nil
        case .runs(let size, let counts): return COCOMask(size: size, counts: counts)
        case .text(let size, let text): return COCOMask(size: size, text: text)
        case .other: return nil
        }
    }
}

/// The outlines of a file in COCO's format, which is decoded a second time for them.
struct COCOSegmentations: Decodable {
    struct Item: Decodable {
        let segmentation: COCOSegmentation?
    }

    let annotations: [Item]
}

extension PixelRect {
    /// The x and y of each corner in turn.
    var corners: [Double] { [x, y, x, maxY, maxX, maxY, maxX, y] }
}

extension COCOMask {
    /// The mask that compares an object with others: its own, otherwise that of its box.
    init?(of object: DetectedObject, in size: PixelSize) {
        guard let mask = object.mask else {
            self.init(polygon: object.frame.corners, size: size)
            return
        }
        self.init(mask, in: size)
    }
}
