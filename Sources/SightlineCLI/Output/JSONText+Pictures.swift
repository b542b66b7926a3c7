import Sightline
import SightlineMedia
import TextFormatting

extension JSONText {
    /// A record in the form that the command's help describes.
    init(_ record: PictureRecord) {
        self.init()
        object { json in
            json.field("image") { $0.string(record.image) }
            switch record.outcome {
            case .failed(let reason):
                json.field("error") { $0.string(reason) }
            case .found(let findings, let size, let timings):
                json.field("width") { $0.number(size.width) }
                json.field("height") { $0.number(size.height) }
                switch findings {
                case .objects(let objects, let omitted):
                    json.field("objects") { $0.array(objects) { $0.object($1) } }
                    if omitted > 0 { json.field("omitted") { $0.number(omitted) } }
                case .labels(let labels): json.field("labels") { $0.array(labels) { $0.label($1) } }
                }
                json.field("milliseconds") { $0.timings(timings) }
            }
        }
    }
}
