import Sightline

extension MOTDetections {
    /// A detection in little memory.
    struct Box: Sendable, Hashable {
        let frame: Int32
        let confidence: Float
        let rectangle: PixelRect
    }

    /// The frames of a file, which are made one by one.
    public struct Frames: RandomAccessCollection, Sendable, Hashable {
        /// In the order of their frames; those of a frame in the order of the file.
        private let boxes: [Box]
        /// The place of the first box of each frame, and the number of all boxes.
        private let starts: [Int]

        init(_ boxes: [Box]) {
            let areOrdered = zip(boxes, boxes.dropFirst()).allSatisfy { $0.frame <= $1.frame }
            let boxes = areOrdered ? boxes : boxes.sorted { $0.frame < $1.frame }
            self.boxes = boxes
            starts = boxes.indices.filter { $0 == 0 || boxes[$0].frame != boxes[$0 - 1].frame } + [boxes.count]
        }

        /// 0.
        public var startIndex: Int { 0 }
        /// The number of frames with detections.
        public var endIndex: Int { starts.count - 1 }

        /// The frame at a place, not with a number.
        public subscript(place: Int) -> Frame {
            let own = boxes[starts[place]..<starts[place + 1]]
            return Frame(
                number: Int(boxes[starts[place]].frame),
                detections: own.map { DetectedObject(frame: $0.rectangle, confidence: $0.confidence) }
            )
        }
    }
}
