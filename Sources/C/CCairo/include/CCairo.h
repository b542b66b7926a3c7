// Lines, rectangles and text on a small picture, over Cairo, which is found at run time.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A transparent picture with 32 bits a pixel, 0xAARRGGBB, multiplied by alpha, and the state of its drawing.
typedef struct CCairoCanvas CCairoCanvas;

typedef struct {
    double x;
    double y;
} CCairoPoint;

// Maps points: (xx x + xy y + x0, yx x + yy y + y0).
typedef struct {
    double xx;
    double yx;
    double xy;
    double yy;
    double x0;
    double y0;
} CCairoMatrix;

// Loads the library. Returns NULL, or the reason for which it cannot be used. May be called by several threads, also
// again. All other functions may be called after it has returned NULL.
const char *ccairo_load(void);

// Makes a canvas. Returns NULL and sets the reason if there is none. The caller destroys the canvas.
CCairoCanvas *ccairo_create(int32_t width, int32_t height, const char **reason);
void ccairo_destroy(CCairoCanvas *canvas);

// The first failure since the canvas was made; NULL if there was none.
const char *ccairo_failure(const CCairoCanvas *canvas);

// Chooses a bold sans-serif font without hinting, so that text looks the same at every position.
void ccairo_set_font(CCairoCanvas *canvas, double size);
// Chooses the color; its parts are 0 to 1.
void ccairo_set_color(CCairoCanvas *canvas, double red, double green, double blue);
// Chooses how the points of the functions below become pixels of the canvas.
void ccairo_set_matrix(CCairoCanvas *canvas, const CCairoMatrix *matrix);

// Draws a line through points with round ends and corners.
void ccairo_draw_line(CCairoCanvas *canvas, const CCairoPoint *points, size_t count, double width);
void ccairo_fill_rectangle(CCairoCanvas *canvas, double x, double y, double width, double height);
// Draws UTF-8 text that starts at a point of its base line.
void ccairo_draw_text(CCairoCanvas *canvas, double x, double y, const char *text);

// The height of the font above its base line and below it.
void ccairo_measure_font(CCairoCanvas *canvas, double *ascent, double *descent);
// The advance width of UTF-8 text.
double ccairo_text_width(CCairoCanvas *canvas, const char *text);

// The pixels, for reading and writing until the next call with this canvas; NULL if there are none.
uint32_t *ccairo_pixels(CCairoCanvas *canvas, size_t *pixels_per_row);
// To be called after writing into pixels.
void ccairo_pixels_changed(CCairoCanvas *canvas);
