// A pipe as an input. FFmpeg's own protocol for pipes waits for bytes without asking whether it should continue.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Pipe {
    int descriptor;
    CFFInterrupt *interrupt;
} Pipe;

enum { BufferSize = 1 << 16, PollMilliseconds = 50 };

static int read_pipe(void *context, uint8_t *bytes, int size) {
    Pipe *pipe = context;
    for (;;) {
        if (cff_interrupted(pipe->interrupt)) return AVERROR_EXIT;
        struct pollfd readable = {pipe->descriptor, POLLIN, 0};
        int ready = poll(&readable, 1, PollMilliseconds);
        if (ready < 0 && errno != EINTR) return AVERROR(errno);
        if (ready <= 0) continue;
        ssize_t count = read(pipe->descriptor, bytes, (size_t)size);
        if (count > 0) return (int)count;
        if (count == 0) return AVERROR_EOF;
        if (errno != EINTR && errno != EAGAIN) return AVERROR(errno);
    }
}

static AVIOContext *pipe_open(int descriptor, CFFInterrupt *interrupt) {
    Pipe *pipe = malloc(sizeof *pipe);
    uint8_t *buffer = cff.av_malloc(BufferSize);
    AVIOContext *io = NULL;
    if (pipe && buffer) {
        *pipe = (Pipe){descriptor, interrupt};
        io = cff.avio_alloc_context(buffer, BufferSize, 0, pipe, read_pipe, NULL, NULL);
    }
    if (!io) {
        cff.av_freep(&buffer);
        free(pipe);
    }
    return io;
}

static void pipe_close(AVIOContext **io) {
    Pipe *pipe = (*io)->opaque;
    // FFmpeg may have replaced the buffer by a larger one.
    cff.av_freep(&(*io)->buffer);
    cff.avio_context_free(io);
    free(pipe);
}
