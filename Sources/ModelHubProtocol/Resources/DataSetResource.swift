/// A data set as the hub shows it.
package struct DataSetResource: Codable, Sendable {
    /// A label with the number of its photos.
    package struct Label: Codable, Sendable, Hashable {
        package var label: String
        package var photoCount: Int

        /// Creates a count.
        package init(label: String, photoCount: Int) { (self.label, self.photoCount) = (label, photoCount) }
    }

    /// A label of boxes with their number.
    package struct BoxLabel: Codable, Sendable, Hashable {
        package var label: String
        package var boxCount: Int

        /// Creates a count.
        package init(label: String, boxCount: Int) { (self.label, self.boxCount) = (label, boxCount) }
    }

    package var name, actor, createTime: String
    package var photoCount: Int
    /// A decimal number, as sizes of models are.
    package var sizeBytes: String
    package var labels: [Label]
    package var unlabeledCount: Int
    package var boxLabels: [BoxLabel]
    /// The number of photos whose boxes are drawn.
    package var boxedCount: Int

    /// Creates a data set.
    package init(
        name: String,
        actor: String,
        createTime: String,
        photoCount: Int,
        sizeBytes: String,
        labels: [Label],
        unlabeledCount: Int,
        boxLabels: [BoxLabel],
        boxedCount: Int
    ) {
        (self.name, self.actor, self.createTime) = (name, actor, createTime)
        (self.photoCount, self.sizeBytes, self.labels, self.unlabeledCount) =
            (photoCount, sizeBytes, labels, unlabeledCount)
        (self.boxLabels, self.boxedCount) = (boxLabels, boxedCount)
    }
}

/// The data sets of a project.
package struct DataSetList: Codable, Sendable {
    package var dataSets: [DataSetResource]

    /// Creates a list.
    package init(dataSets: [DataSetResource]) { self.dataSets = dataSets }
}

/// A new data set.
package struct DataSetInput: Codable, Sendable {
    package var name: String

    /// Creates the input.
    package init(name: String) { self.name = name }
}

/// A photo of a data set.
package struct PhotoResource: Codable, Sendable {
    /// The label that the model of the last training rather gives a photo.
    package struct Doubt: Codable, Sendable {
        package var answer: String
        package var confidence: Double

        /// Creates a doubt.
        package init(answer: String, confidence: Double) { (self.answer, self.confidence) = (answer, confidence) }
    }

    package var photoId, name: String
    package var label: String?
    /// Nil if nobody has drawn them yet.
    package var boxes: [PhotoBox]?
    /// Boxes that nobody has accepted yet.
    package var proposals: [PhotoBox]?
    package var width, height: Int
    package var sizeBytes, createTime: String
    package var doubt: Doubt?

    /// Creates a photo.
    package init(
        photoId: String,
        name: String,
        label: String?,
        boxes: [PhotoBox]?,
        proposals: [PhotoBox]?,
        width: Int,
        height: Int,
        sizeBytes: String,
        createTime: String,
        doubt: Doubt?
    ) {
        (self.photoId, self.name, self.label, self.doubt) = (photoId, name, label, doubt)
        (self.boxes, self.proposals) = (boxes, proposals)
        (self.width, self.height, self.sizeBytes, self.createTime) = (width, height, sizeBytes, createTime)
    }
}

/// A page of photos.
package struct PhotoList: Codable, Sendable {
    package var photos: [PhotoResource]
    package var nextPageToken: String?

    /// Creates a page.
    package init(photos: [PhotoResource], nextPageToken: String?) {
        (self.photos, self.nextPageToken) = (photos, nextPageToken)
    }
}

/// A new label of a photo; null for none.
package struct PhotoLabel: Codable, Sendable {
    package var label: String?

    /// Creates the input.
    package init(label: String?) { self.label = label }

    /// Writes null, too.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(label, forKey: .label)
    }
}

/// The outcome of adding photos.
package struct AddedPhotos: Codable, Sendable {
    /// A file that is not among the photos.
    package struct Skipped: Codable, Sendable {
        package var path, reason: String

        /// Creates an entry.
        package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }
    }

    /// The number of new photos.
    package var addedCount: Int
    /// The number of photos that the data set already had; they keep their labels.
    package var knownCount: Int
    package var skippedCount: Int
    /// The first hundred.
    package var skipped: [Skipped]
    /// The number of boxes that lie outside of their photos, or have no area.
    package var leftOutBoxCount: Int
    /// The number of new photos without a label and without boxes; nil from a hub that does not count them.
    package var unlabeledCount: Int?

    /// Creates an outcome.
    package init(
        addedCount: Int,
        knownCount: Int,
        skippedCount: Int,
        skipped: [Skipped],
        leftOutBoxCount: Int = 0,
        unlabeledCount: Int? = nil
    ) {
        (self.leftOutBoxCount, self.unlabeledCount) = (leftOutBoxCount, unlabeledCount)
        (self.addedCount, self.knownCount) = (addedCount, knownCount)
        (self.skippedCount, self.skipped) = (skippedCount, skipped)
    }
}
