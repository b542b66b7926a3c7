import Foundation
import ModelCatalog

/// The description of the default detector in the commands' help.
enum DefaultModelHelp {
    /// The best detector of the catalog; a test compares it with the measurements.
    static let best = "yolox-nano-ti-lite"

    /// The ways to choose a better detector, and the one that is chosen now. Several commands show it; the choice is read once.
    static let text = """
        For better results, choose another detector: `sightline models use \(best)` installs the best of the catalog and makes it the \
        default of detect, track, watch and serve; `sightline models use built-in` restores the built-in one. The variable SIGHTLINE_MODEL overrides \
        that choice, and --model overrides both; --model built-in is the built-in detector. `sightline models list` lists detectors and marks \
        the default.\(present)
        """

    /// A sentence about the model that is chosen now; empty if that is the built-in detector.
    private static var present: String {
        switch Result(catching: { try DefaultModel.ofUser() }) {
        case .success(nil): ""
        case .success(let model?): " Without --model, these commands now use \(model.name)."
        case .failure(let error): " Now: \((error as? any LocalizedError)?.errorDescription ?? "\(error)")"
        }
    }
}
