/// The file of a new version: an object in the hub's storage.
package struct NewVersion: Codable, Sendable {
    /// The address of the object, `gs://bucket/object`.
    package var gcsTfliteUri: String

    /// Creates a request.
    package init(gcsTfliteUri: String) { self.gcsTfliteUri = gcsTfliteUri }
}

/// The version that a file became.
package struct AddedVersion: Codable, Sendable {
    /// The number of the version.
    package var version: Int
    /// Whether the model already had a version with the same bytes.
    package var isKnown: Bool

    /// Creates a response.
    package init(version: Int, isKnown: Bool) { (self.version, self.isKnown) = (version, isKnown) }
}

/// A change of a version.
package struct VersionChange: Codable, Sendable {
    private enum CodingKeys: CodingKey {
        case confidenceThreshold
    }

    /// From 0 to 1; null removes the threshold.
    package var confidenceThreshold: Double?

    /// Creates a change.
    package init(confidenceThreshold: Double?) { self.confidenceThreshold = confidenceThreshold }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // The field is required, because an empty change is a mistake.
        confidenceThreshold =
            try container.decodeNil(forKey: .confidenceThreshold)
            ? nil : try container.decode(Double.self, forKey: .confidenceThreshold)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(confidenceThreshold, forKey: .confidenceThreshold)
    }
}

/// The version that an alias is to name; absent for the staged version.
package struct VersionChoice: Codable, Sendable {
    package var version: Int?

    /// Creates a choice.
    package init(version: Int?) { self.version = version }
}
