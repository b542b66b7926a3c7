/// How much of its quota a project uses.
public struct ProjectUsage: Sendable, Hashable {
    /// Bytes of its distinct files and of the pictures of its evaluations, and ``recordSize`` for each object and version.
    public var byteCount: Int
    /// How many bytes it may use; nil for no limit.
    public var quota: Int?

    /// What the record of an object or a version counts, whatever its length, which is limited.
    public static let recordSize = 1024

    /// Refuses bytes that do not fit.
    ///
    /// - Throws: `.resourceExhausted` with what the project would use.
    func check(adding count: Int = 0, of project: String) throws(HubError) {
        guard let quota else { return }
        let (sum, overflows) = byteCount.addingReportingOverflow(count)
        guard overflows || sum > quota else { return }
        throw HubError(
            .resourceExhausted,
            "The files of the project \"\(project)\" would have \(overflows ? .max : sum) bytes, its quota is \(quota); delete "
                + "models, uploads or evaluations, or raise it with `sightline hub project set`."
        )
    }
}
