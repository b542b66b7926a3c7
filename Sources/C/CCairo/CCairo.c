#include "CCairo.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The part of Cairo's ABI that is used here. It has not changed since version 1.2 (cairo.h).
typedef struct cairo_surface cairo_surface_t;
typedef struct cairo cairo_t;
typedef struct cairo_font_options cairo_font_options_t;

typedef struct {
    double ascent;
    double descent;
    double height;
    double max_x_advance;
    double max_y_advance;
} cairo_font_extents_t;

typedef struct {
    double x_bearing;
    double y_bearing;
    double width;
    double height;
    double x_advance;
    double y_advance;
} cairo_text_extents_t;

enum {
    STATUS_SUCCESS = 0,
    FORMAT_ARGB32 = 0,
    FONT_SLANT_NORMAL = 0,
    FONT_WEIGHT_BOLD = 1,
    ANTIALIAS_GRAY = 2,
    HINT_STYLE_NONE = 1,
    HINT_METRICS_OFF = 1,
    LINE_CAP_ROUND = 1,
    LINE_JOIN_ROUND = 1,
};

#define FUNCTIONS(X)                                                                                                   \
    X(cairo_surface_t *, cairo_image_surface_create, (int, int, int))                                                  \
    X(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *))                                              \
    X(int, cairo_image_surface_get_stride, (cairo_surface_t *))                                                        \
    X(void, cairo_surface_flush, (cairo_surface_t *))                                                                  \
    X(void, cairo_surface_mark_dirty, (cairo_surface_t *))                                                             \
    X(void, cairo_surface_destroy, (cairo_surface_t *))                                                                \
    X(cairo_t *, cairo_create, (cairo_surface_t *))                                                                    \
    X(void, cairo_destroy, (cairo_t *))                                                                                \
    X(int, cairo_status, (cairo_t *))                                                                                  \
    X(const char *, cairo_status_to_string, (int))                                                                     \
    X(void, cairo_select_font_face, (cairo_t *, const char *, int, int))                                               \
    X(void, cairo_set_font_size, (cairo_t *, double))                                                                  \
    X(cairo_font_options_t *, cairo_font_options_create, (void))                                                       \
    X(void, cairo_font_options_set_antialias, (cairo_font_options_t *, int))                                           \
    X(void, cairo_font_options_set_hint_style, (cairo_font_options_t *, int))                                          \
    X(void, cairo_font_options_set_hint_metrics, (cairo_font_options_t *, int))                                        \
    X(void, cairo_font_options_destroy, (cairo_font_options_t *))                                                      \
    X(void, cairo_set_font_options, (cairo_t *, const cairo_font_options_t *))                                         \
    X(void, cairo_font_extents, (cairo_t *, cairo_font_extents_t *))                                                   \
    X(void, cairo_text_extents, (cairo_t *, const char *, cairo_text_extents_t *))                                     \
    X(void, cairo_show_text, (cairo_t *, const char *))                                                                \
    X(void, cairo_set_source_rgb, (cairo_t *, double, double, double))                                                 \
    X(void, cairo_set_matrix, (cairo_t *, const CCairoMatrix *))                                                       \
    X(void, cairo_set_line_cap, (cairo_t *, int))                                                                      \
    X(void, cairo_set_line_join, (cairo_t *, int))                                                                     \
    X(void, cairo_set_line_width, (cairo_t *, double))                                                                 \
    X(void, cairo_move_to, (cairo_t *, double, double))                                                                \
    X(void, cairo_line_to, (cairo_t *, double, double))                                                                \
    X(void, cairo_rectangle, (cairo_t *, double, double, double, double))                                              \
    X(void, cairo_stroke, (cairo_t *))                                                                                 \
    X(void, cairo_fill, (cairo_t *))

static struct {
#define DECLARE(result, name, parameters) result(*name) parameters;
    FUNCTIONS(DECLARE)
} cairo;

static const char *failure;

static void load(void) {
#ifdef __APPLE__
    void *library = dlopen("libcairo.2.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
#endif
    if (!library) {
        failure = "Cairo is not installed";
        return;
    }
#define FIND(result, name, parameters)                                                                                 \
    do {                                                                                                               \
        void *address = dlsym(library, #name);                                                                         \
        if (!address) {                                                                                                \
            failure = "Cairo lacks the function " #name;                                                               \
            return;                                                                                                    \
        }                                                                                                              \
        /* A pointer to an object and one to a function have the same size wherever dlsym exists. */                   \
        memcpy(&cairo.name, &address, sizeof address);                                                                 \
    } while (0);
    FUNCTIONS(FIND)
}

const char *ccairo_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure;
}

struct CCairoCanvas {
    cairo_surface_t *surface;
    cairo_t *context;
};

CCairoCanvas *ccairo_create(int32_t width, int32_t height, const char **reason) {
    CCairoCanvas *canvas = malloc(sizeof *canvas);
    if (!canvas) {
        *reason = "out of memory";
        return NULL;
    }
    // Cairo never returns NULL, but an object with a status that describes the failure.
    canvas->surface = cairo.cairo_image_surface_create(FORMAT_ARGB32, width, height);
    canvas->context = cairo.cairo_create(canvas->surface);
    *reason = ccairo_failure(canvas);
    if (*reason) {
        ccairo_destroy(canvas);
        return NULL;
    }
    cairo.cairo_set_line_cap(canvas->context, LINE_CAP_ROUND);
    cairo.cairo_set_line_join(canvas->context, LINE_JOIN_ROUND);
    return canvas;
}

void ccairo_destroy(CCairoCanvas *canvas) {
    cairo.cairo_destroy(canvas->context);
    cairo.cairo_surface_destroy(canvas->surface);
    free(canvas);
}

const char *ccairo_failure(const CCairoCanvas *canvas) {
    int status = cairo.cairo_status(canvas->context);
    return status == STATUS_SUCCESS ? NULL : cairo.cairo_status_to_string(status);
}

void ccairo_set_font(CCairoCanvas *canvas, double size) {
    cairo.cairo_select_font_face(canvas->context, "sans-serif", FONT_SLANT_NORMAL, FONT_WEIGHT_BOLD);
    cairo.cairo_set_font_size(canvas->context, size);
    cairo_font_options_t *options = cairo.cairo_font_options_create();
    cairo.cairo_font_options_set_antialias(options, ANTIALIAS_GRAY);
    cairo.cairo_font_options_set_hint_style(options, HINT_STYLE_NONE);
    cairo.cairo_font_options_set_hint_metrics(options, HINT_METRICS_OFF);
    cairo.cairo_set_font_options(canvas->context, options);
    cairo.cairo_font_options_destroy(options);
}

void ccairo_set_color(CCairoCanvas *canvas, double red, double green, double blue) {
    cairo.cairo_set_source_rgb(canvas->context, red, green, blue);
}

void ccairo_set_matrix(CCairoCanvas *canvas, const CCairoMatrix *matrix) {
    cairo.cairo_set_matrix(canvas->context, matrix);
}

void ccairo_draw_line(CCairoCanvas *canvas, const CCairoPoint *points, size_t count, double width) {
    if (count == 0) return;
    cairo.cairo_set_line_width(canvas->context, width);
    cairo.cairo_move_to(canvas->context, points[0].x, points[0].y);
    for (size_t i = 1; i < count; i++)
        cairo.cairo_line_to(canvas->context, points[i].x, points[i].y);
    cairo.cairo_stroke(canvas->context);
}

void ccairo_fill_rectangle(CCairoCanvas *canvas, double x, double y, double width, double height) {
    cairo.cairo_rectangle(canvas->context, x, y, width, height);
    cairo.cairo_fill(canvas->context);
}

void ccairo_draw_text(CCairoCanvas *canvas, double x, double y, const char *text) {
    cairo.cairo_move_to(canvas->context, x, y);
    cairo.cairo_show_text(canvas->context, text);
}

void ccairo_measure_font(CCairoCanvas *canvas, double *ascent, double *descent) {
    cairo_font_extents_t extents;
    memset(&extents, 0, sizeof extents);
    cairo.cairo_font_extents(canvas->context, &extents);
    *ascent = extents.ascent;
    *descent = extents.descent;
}

double ccairo_text_width(CCairoCanvas *canvas, const char *text) {
    cairo_text_extents_t extents;
    memset(&extents, 0, sizeof extents);
    cairo.cairo_text_extents(canvas->context, text, &extents);
    return extents.x_advance;
}

uint32_t *ccairo_pixels(CCairoCanvas *canvas, size_t *pixels_per_row) {
    cairo.cairo_surface_flush(canvas->surface);
    *pixels_per_row = (size_t)cairo.cairo_image_surface_get_stride(canvas->surface) / sizeof(uint32_t);
    // Cairo aligns rows of this format to four bytes and documents them as native 32-bit quantities.
    return (uint32_t *)(void *)cairo.cairo_image_surface_get_data(canvas->surface);
}

void ccairo_pixels_changed(CCairoCanvas *canvas) { cairo.cairo_surface_mark_dirty(canvas->surface); }
