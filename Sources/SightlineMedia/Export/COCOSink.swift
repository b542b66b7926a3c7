import Foundation
import Sightline
import TextFormatting

extension ResultFormat {
    /// One JSON document of annotations in the format of COCO (cocodataset.org, "Data format").
    ///
    /// An annotation has the points of its object as `keypoints`, and its category their names and the lines of a skeleton. Points of
    /// little confidence have the visibility 1, all others 2.
    ///
    /// An annotation has the confidence as `score` and the identity of a tracked object as `track_id`. The image of a frame has its
    /// `time` in seconds. An object with a mask has it as `segmentation`, in compressed runs, and its pixels as `area`. The category is the index of the most confident label plus 1, because COCO counts from 1; objects without
    /// labels have category 0, "object". All labels of the model are categories, also those that no picture shows, because a program
    /// for correcting boxes offers these. Image ids count from 1.
    ///
    /// COCO puts all images into one place, but a sink gets them one by one. The sink writes annotations at once, keeps images in a
    /// temporary file, and writes images and categories at the end. The order of members in a JSON
    /// object has no meaning, so every reader accepts this.
    public static let coco = ResultFormat(
        name: "coco",
        summary: "one JSON document of annotations as in COCO",
        kinds: [.objects, .frames]
    ) { options, write in try COCOSink(options, write: write) }

    /// As ``coco``, with polygons instead of compressed runs, for programs in which people correct outlines: one for each part of a mask,
    /// or the corners of the box of an object without a mask.
    public static let cocoPolygons = ResultFormat(
        name: "coco-polygons",
        summary: "as coco, with the outlines of masks as polygons",
        kinds: [.objects, .frames]
    ) { options, write in try COCOSink(options, writesPolygons: true, write: write) }
}

/// Writes ``ResultFormat/coco``.
private struct COCOSink: ResultSink {
    let write: ResultFormat.Writer
    private let writesPolygons: Bool
    private var categories: [Int: String] = [:]
    /// The points of each category whose objects have points.
    private var keypoints: [Int: COCOKeypoints] = [:]
    private var annotationCount = 0
    private var imageCount = 0
    private let images: TemporaryText
    private var paths = TakenPaths()

    init(_ options: ResultSinkOptions, writesPolygons: Bool = false, write: @escaping ResultFormat.Writer) throws {
        self.write = write
        self.writesPolygons = writesPolygons
        images = try TemporaryText()
        for (index, name) in try options.classNames().enumerated() where !name.isEmpty && name != "???" {
            categories[index + 1] = name
        }
    }

    func begin() throws { try write("{\"annotations\":[") }

    mutating func append(_ picture: PictureResult) throws {
        guard let size = picture.size else { return }
        guard paths.take(picture.path, for: picture.name) else {
            throw MediaError.unsupportedResults(
                format: "coco",
                reason: "\(picture.name) and another picture have the same name, \(picture.path); rename one of them"
            )
        }
        let id = imageCount + 1
        try append(picture.objects, in: id, size, Self.image(id, picture.path, size, nil))
    }

    mutating func append(_ frame: StreamResult, events: [StreamEvent]) throws {
        let id = frame.index + 1
        try append(frame.objects, in: id, frame.size, Self.image(id, frame.path, frame.size, frame.timestamp))
    }

    private mutating func append(_ objects: [DetectedObject], in id: Int, _ size: PixelSize, _ image: String) throws {
        try images.append((imageCount == 0 ? "\n" : ",\n") + image)
        imageCount += 1
        let annotations = objects.map { annotation(of: $0, image: id, size) }.joined()
        if !annotations.isEmpty { try write(annotations) }
    }

    func finish() throws {
        try write("\n],\"images\":[")
        try images.forEachPart(write)
        var json = JSONText()
        json.array(categories.sorted { $0.key < $1.key }) { json, category in
            json.object { json in
                json.field("id") { $0.number(category.key) }
                json.field("name") { $0.string(category.value) }
                keypoints[category.key]?.append(to: &json)
            }
        }
        try write("\n],\"categories\":\(json.text)}\n")
    }

    private mutating func annotation(of object: DetectedObject, image: Int, _ size: PixelSize) -> String {
        annotationCount += 1
        let best = object.labels.first
        let category = best.map { $0.index + 1 } ?? 0
        if categories[category] == nil { categories[category] = object.className }
        if keypoints[category] == nil { keypoints[category] = COCOKeypoints(object) }
        let points = keypoints[category]?.numbers(of: object)
        var json = JSONText()
        json.object { json in
            json.field("id") { $0.number(annotationCount) }
            json.field("image_id") { $0.number(image) }
            json.field("category_id") { $0.number(category) }
            json.field("bbox") { json in
                let frame = object.frame
                json.array([frame.x, frame.y, frame.width, frame.height]) { $0.number($1) }
            }
            json.field("area") { $0.number(object.mask.map { Double($0.area) } ?? object.frame.area) }
            if writesPolygons {
                json.field("segmentation") { json in
                    json.array(object.outlines(in: size)) { json, outline in
                        json.array(outline.flatMap { [$0.x, $0.y] }) { $0.number($1) }
                    }
                }
            } else if let mask = object.mask {
                json.field("segmentation") { $0.segmentation(COCOMask(mask, in: size)) }
            }
            json.field("iscrowd") { $0.number(0) }
            if let points { json.keypoints(points) }
            json.field("score") { $0.number(object.confidence) }
            if let id = object.id { json.field("track_id") { $0.number(id) } }
        }
        return (annotationCount == 1 ? "\n" : ",\n") + json.text
    }

    private static func image(_ id: Int, _ path: String, _ size: PixelSize, _ time: Duration?) -> String {
        var json = JSONText()
        json.object { json in
            json.field("id") { $0.number(id) }
            json.field("file_name") { $0.string(path) }
            json.field("width") { $0.number(size.width) }
            json.field("height") { $0.number(size.height) }
            if let time { json.field("time") { $0.number(time.seconds) } }
        }
        return json.text
    }
}

extension JSONText {
    /// A mask as pycocotools reads it.
    fileprivate mutating func segmentation(_ mask: COCOMask) {
        object { json in
            json.field("size") { $0.array([mask.size.height, mask.size.width]) { $0.number($1) } }
            json.field("counts") { $0.string(mask.text) }
        }
    }
}
