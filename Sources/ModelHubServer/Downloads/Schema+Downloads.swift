import HTTPServing
import ModelHubProtocol

/// The schemas of downloads.
extension Schema {
    static let download = object("The address of a model's file.").fields([
        "downloadUri": .text(
            "The address of the file. It is signed, needs no key, and is valid until `expireTime`.",
            format: "uri"
        ),
        "expireTime": .time("When the address expires. Then request a new one."),
        "sizeBytes": .decimal("The size of the file."),
        "modelFormat": .choice(HostedFormat.allCases.map(\.rawValue), "The format of the file."),
        "confidenceThreshold?": .number(
            "Drop results below this confidence. Absent if the version has no threshold.",
            atLeast: 0,
            atMost: 1
        ),
    ]).named("Download")
}
