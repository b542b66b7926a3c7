/// Merges the boxes that were found in several views of a picture: the whole picture and its slices.
///
/// A seam is an edge of a slice inside the picture. A box that ends at a seam is *cut*: the slice shows only a part of its object. A
/// merge by intersection over union alone keeps such parts beside their wholes. SAHI's greedy merging by intersection over the
/// smaller box (F. C. Akyon et al., 2022) joins parts with their wholes, but also neighbors with each other. Cut boxes are known here, so
/// they are treated apart:
/// 1. Of the boxes that are not cut, of all views, non-maximum suppression by IoU keeps the most confident.
/// 2. A cut box is removed if it is the same as a kept box in the part of the picture that both views show: there, their IoU exceeds 0.5.
/// 3. Cut boxes that are the same in this sense, from neighboring slices, are joined: an object that is longer than the slices'
///    overlap has one box.
enum SliceMerging {
    /// A box of a view.
    struct Box {
        /// In pixels of the upright picture; the confidence is that of the model.
        var object: DetectedObject
        /// Whether the box ends at a seam.
        let isCut: Bool
        /// The part of the upright picture that the model saw.
        let view: PixelRect
    }

    /// The distance from a seam at which a box ends there, as a share of the view's extent. Models place edges a little inside.
    private static let seamShare = 0.02
    /// The IoU in the common part of two views above which two boxes are the same.
    private static let commonIoU = 0.5
    /// The largest number of boxes of one view; less confident ones are dropped.
    static let maximumCountOfView = 300
    /// The largest number of boxes that are compared; less confident ones are dropped.
    private static let maximumCount = NonMaximumSuppression.maximumCandidates

    /// Whether a box ends at an edge of its view that lies inside the searched region.
    static func isCut(_ frame: PixelRect, in view: PixelRect, of region: PixelRect) -> Bool {
        let (x, y) = (view.width * seamShare, view.height * seamShare)
        return view.x > region.x && frame.x < view.x + x
            || view.y > region.y && frame.y < view.y + y
            || view.maxX < region.maxX - 1e-6 && frame.maxX > view.maxX - x
            || view.maxY < region.maxY - 1e-6 && frame.maxY > view.maxY - y
    }

    /// The objects of all views, the most confident first.
    ///
    /// - Parameters:
    ///   - boxes: the boxes of all views.
    ///   - iouThreshold: the IoU above which two boxes that are not cut count as one object.
    ///   - acrossClasses: whether boxes of different classes are merged.
    /// - Complexity: O(n · k) for n boxes, at most 3,000, of which k are kept.
    static func merge(_ boxes: [Box], iouThreshold: Double, acrossClasses: Bool) -> [DetectedObject] {
        let ordered = boxes.sorted { $0.object.objectConfidence > $1.object.objectConfidence }.prefix(maximumCount)
        func haveOneKind(_ one: DetectedObject, _ other: DetectedObject) -> Bool {
            acrossClasses || one.classIndex == other.classIndex
        }
        var whole: [Box] = []
        for box in ordered where !box.isCut {
            let isKnown = whole.contains {
                haveOneKind($0.object, box.object) && $0.object.frame.iou(box.object.frame) > iouThreshold
            }
            if !isKnown { whole.append(box) }
        }
        /// Boxes that were cut, each with the views that show a part of it.
        var joined: [(object: DetectedObject, views: [PixelRect])] = []
        for box in ordered where box.isCut {
            let isKnown = whole.contains {
                haveOneKind($0.object, box.object) && areSame($0.object.frame, $0.view, box.object.frame, box.view)
            }
            if isKnown { continue }
            let part = joined.firstIndex { known in
                haveOneKind(known.object, box.object)
                    && known.views.contains { areSame(known.object.frame, $0, box.object.frame, box.view) }
            }
            if let part {
                joined[part].object.frame = joined[part].object.frame.union(box.object.frame)
                if let mask = box.object.mask {
                    joined[part].object.mask = joined[part].object.mask?.union(mask) ?? mask
                }
                joined[part].views.append(box.view)
            } else {
                joined.append((box.object, [box.view]))
            }
        }
        return (whole.map(\.object) + joined.map(\.object)).sorted {
            $0.objectConfidence > $1.objectConfidence
        }
    }

    /// Whether two boxes are the same in the part of the picture that both views show.
    private static func areSame(_ one: PixelRect, _ view: PixelRect, _ other: PixelRect, _ otherView: PixelRect) -> Bool
    {
        guard let common = view.intersection(otherView), let one = one.intersection(common),
            let other = other.intersection(common)
        else { return false }
        return one.iou(other) > commonIoU
    }
}
