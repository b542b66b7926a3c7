import Foundation
import Sightline

extension ModelVersion {
    /// The use of the model; nil if it is not known.
    var task: ModelInspection.Purpose? { ModelInspection.Purpose(inspection: inspection) }
}

extension ModelInspection.Purpose {
    private struct Inspection: Decodable {
        var task: ModelInspection.Purpose?
    }

    /// The use in an inspection as JSON; nil if there is none.
    init?(inspection json: String) {
        guard let task = (try? JSONDecoder().decode(Inspection.self, from: Data(json.utf8)))?.task else { return nil }
        self = task
    }
}
