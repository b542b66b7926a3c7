#if canImport(os)
    public import os

    /// A value that one thread at a time may use: the part of `Synchronization.Mutex` that this package uses, for the systems of
    /// Apple that lack it (before macOS 15 and iOS 18).
    ///
    /// Locking costs what it costs `Synchronization.Mutex`, which also takes an `os_unfair_lock`. Creating a mutex allocates memory,
    /// because the address of the lock must not change. The lock is not recursive: a thread that locks it twice ends the process.
    ///
    /// Unchecked: the only property is a constant. All accesses to the memory behind it hold the lock, except the initialization,
    /// which precedes all of them, and the deinitialization, which follows all of them. The value comes in and goes out as `sending`,
    /// so that no other reference to it crosses threads.
    @frozen
    public struct Mutex<Value>: @unchecked Sendable {
        @usableFromInline let memory: Memory

        /// The lock and the value at fixed addresses.
        @usableFromInline
        final class Memory {
            @usableFromInline let lock: UnsafeMutablePointer<os_unfair_lock>
            @usableFromInline let value: UnsafeMutablePointer<Value>

            @inlinable
            init(_ initialValue: Value) {
                lock = .allocate(capacity: 1)
                lock.initialize(to: os_unfair_lock())
                value = .allocate(capacity: 1)
                value.initialize(to: initialValue)
            }

            @inlinable
            deinit {
                value.deinitialize(count: 1)
                value.deallocate()
                lock.deinitialize(count: 1)
                lock.deallocate()
            }
        }

        /// Creates a mutex around a value.
        @inlinable
        public init(_ initialValue: consuming sending Value) {
            memory = Memory(initialValue)
        }

        /// Waits until no other thread uses the value, and lends it to `body`.
        ///
        /// - Throws: The error of `body`.
        @inlinable
        public func withLock<Result, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            os_unfair_lock_lock(memory.lock)
            defer { os_unfair_lock_unlock(memory.lock) }
            return try body(&memory.value.pointee)
        }
    }
#else
    public import Synchronization

    /// A value that one thread at a time may use.
    public typealias Mutex<Value: ~Copyable> = Synchronization.Mutex<Value>
#endif
