/// The usage of a project's quota.
package struct ProjectUsage: Sendable, Hashable {
    /// The bytes of its distinct files and of the pictures of its evaluations, plus ``recordSize`` for each object,
    /// version and photo.
    package var byteCount: Int
    /// The maximum number of bytes; nil for no limit.
    package var quota: Int?

    /// The size that counts for the record of an object, a version or a photo, regardless of its actual, limited size.
    package static let recordSize = 1024

    /// Throws an error if bytes exceed the quota.
    ///
    /// - Throws: `.resourceExhausted` with the resulting usage.
    func check(adding count: Int = 0, of project: String) throws(HubError) {
        guard let quota else { return }
        let (sum, overflows) = byteCount.addingReportingOverflow(count)
        guard overflows || sum > quota else { return }
        throw HubError(
            .resourceExhausted,
            "The files of the project \"\(project)\" would have \(overflows ? .max : sum) bytes, but its quota is \(quota); delete "
                + "models, uploads, photos or evaluations, or raise the quota with `sightline hub project set`."
        )
    }
}
