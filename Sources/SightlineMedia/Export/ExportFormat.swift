/// A kind of text that the results of a stream are written as.
public enum ExportFormat: String, Sendable, Hashable, CaseIterable {
    /// One line of JSON a frame, with all that is known of it, written at once.
    ///
    /// `{"index", "time", "width", "height", "detected", "dropped", "objects": [{"id", "frame": {"x", "y", "width",
    /// "height"}, "confidence", "labels": [{"text", "index", "confidence"}], "detected", "firstSeen", "age"}],
    /// "milliseconds": {"decoding", "preprocessing", "inference", "postprocessing", "tracking", "total"}}`; times in seconds,
    /// `index` from 0.
    case jsonLines = "jsonl"
    /// A heading, then a row for each object of each frame, with its best label.
    case csv
    /// The result files of MOTChallenge: `frame,id,left,top,width,height,confidence,-1,-1,-1`, a line for each object of
    /// each frame. Frames count from 1; coordinates are pixels with the origin at 0, 0. ("MOT16: A benchmark for
    /// multi-object tracking", Milan et al., 2016, section 3.3.)
    case mot
    /// One JSON document of annotations as in COCO (cocodataset.org, "Data format"), with the identity as `track_id`, the
    /// confidence as `score` and the time of each frame in its image.
    ///
    /// COCO wants all images and all categories in one place each, but they become known frame by frame. So annotations,
    /// which are many, are written as they come; the images' entries wait in a temporary file, and they and the categories,
    /// of which there are as many as the model has classes, follow at the end. The order of a JSON object's members means
    /// nothing, so that every reader of COCO takes it.
    case coco
}
