import SightlineTestSupport
import Testing

/// The promises of a hub's stores, on every ``StoreBackend``. Extensions contain the tests of each store, through its
/// public interface.
@Suite(.hangLimit)
struct StoreConformanceTests {}
