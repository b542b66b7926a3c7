import ModelHubProtocol

extension DataSetResource {
    /// Describes a data set.
    init(_ dataSet: DataSet, _ counts: DataSetCounts) {
        self.init(
            name: dataSet.name,
            actor: dataSet.actor,
            createTime: "\(dataSet.createTime)",
            photoCount: counts.photos,
            sizeBytes: "\(counts.byteCount)",
            labels: counts.labels.map { Label(label: $0.label, photoCount: $0.count) },
            unlabeledCount: counts.unlabeled,
            boxLabels: counts.boxLabels.map { BoxLabel(label: $0.label, boxCount: $0.count) },
            boxedCount: counts.boxed
        )
    }
}

extension PhotoResource {
    /// Describes a photo.
    init(_ photo: Photo) {
        self.init(
            photoId: photo.hash.text,
            name: photo.name,
            label: photo.label,
            boxes: photo.boxes,
            proposals: photo.boxes == nil || photo.doubt != nil ? photo.proposals : nil,
            width: photo.width,
            height: photo.height,
            sizeBytes: "\(photo.byteCount)",
            createTime: "\(photo.createTime)",
            doubt: photo.doubt.map { Doubt(answer: $0.answer, confidence: $0.confidence) }
        )
    }
}
