/// An object as Cloud Storage's JSON API describes it.
struct ObjectResource: Encodable, Sendable {
    let kind = "storage#object"
    var id: String
    var name: String
    var bucket: String
    var size: String
    /// Without it clients take a successful resumable upload for a failed one.
    var crc32c: String
    var md5Hash: String
    var generation: String
    let metageneration = "1"
    var contentType: String
    var timeCreated: String
    var updated: String
    var etag: String
    let storageClass = "STANDARD"

    init(_ object: StorageObject) {
        // The upload's time tells contents of one name apart.
        generation = "\(object.createTime.milliseconds)"
        id = "\(object.bucket)/\(object.name)/\(generation)"
        name = object.name
        bucket = object.bucket
        size = "\(object.byteCount)"
        crc32c = object.crc32c
        md5Hash = object.md5
        contentType = object.contentType
        timeCreated = object.createTime.description
        updated = timeCreated
        etag = object.hash.text
    }
}
