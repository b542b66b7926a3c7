/// An object in Cloud Storage's JSON API.
struct ObjectResource: Encodable, Sendable {
    let kind = "storage#object"
    var id: String
    var name: String
    var bucket: String
    var size: String
    /// Without it clients treat a successful resumable upload as a failure.
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
        // The time of the upload distinguishes contents with the same name.
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
