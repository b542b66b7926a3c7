#if !canImport(ImageIO)
    /// Room for the message of a C function.
    struct MessageBuffer {
        var characters: [CChar]

        init(size: Int) {
            characters = [CChar](repeating: 0, count: size)
        }

        /// The message up to its closing zero.
        var text: String {
            String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
#endif
