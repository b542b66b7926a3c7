import HubTestSupport
import SightlineTestSupport
import Testing

/// The promises of the stores of a hub's files, on every ``FileBackend``. Extensions contain the tests of each store.
@Suite(.hangLimit)
struct FileStoreTests {
    /// Reports what is missing for the tests on storage servers, which are left out without it.
    @Test(.enabled(if: StorageServer.available == StorageServer.allCases, StorageServer.reason))
    func theStorageServersAreInstalled() {
        #expect(FileBackend.available == FileBackend.allCases)
    }
}
