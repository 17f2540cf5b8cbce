/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Simulcast: two or three sizes of one capture, each a separate stream. A server forwards to each
 * receiver the size that suits it. Part of library ctv; the rules of ctv.h hold.
 *
 * Each size has half the width and height of the next. Size 0 is the smallest, as in
 * ctv_net_frame.spatial_id. A picture has the same frame number and timestamp in all sizes. So a receiver
 * switches at a key frame: it decodes the other size's header and continues. tests/api/simulcast_call.c is
 * an example. */
#ifndef CTV_SIMULCAST_H
#define CTV_SIMULCAST_H

#include <ctv/ctv.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most sizes. */
#define CTV_SIMULCAST_SIZES 3

/** Encoders of several sizes. */
typedef struct ctv_simulcast ctv_simulcast;

/** Opens an encoder for each size. All are on.
 * @param config the configuration of the largest size, that of the pictures; copied. The others differ in
 * width, height and bitrate. A width or height of n samples is halved to (n + 1) / 2.
 * @param bitrates bits per second of each size, from the smallest; NULL: as config says
 * @param sizes number of sizes, 1..CTV_SIMULCAST_SIZES
 * @param simulcast receives the encoders, NULL on failure
 * @return as ctv_encoder_open() */
CTV_API ctv_status ctv_simulcast_open(const ctv_config* config, const int64_t* bitrates, int32_t sizes,
                                      ctv_simulcast** simulcast);
/** Returns the encoder of a size, NULL if there is none. The simulcast owns it. Use the functions of ctv.h
 * for its header, packets, reports and settings, but do not send pictures to it, reconfigure or close it. */
CTV_API ctv_encoder* ctv_simulcast_encoder(ctv_simulcast* simulcast, int32_t size);
/** Turns a size on or off from the next picture on. A size that is off is only scaled, for smaller sizes.
 * When it is on again, its first frame is a key frame.
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_simulcast_set_active(ctv_simulcast* simulcast, int32_t size, int32_t active);
/** Makes the next picture a key frame in all sizes that are on, whatever min_key_distance says. */
CTV_API ctv_status ctv_simulcast_request_key_frame(ctv_simulcast* simulcast);
/** Sends a picture to all sizes that are on. Each size is scaled from the next larger one by an exact filter
 * on the CPU: equal pictures give equal bytes with any backend. Chroma is scaled like luma; left-sited chroma
 * moves by a quarter of a luma sample.
 * @param simulcast the encoders
 * @param picture as in ctv_encoder_send(), in host memory
 * @return CTV_OK; CTV_AGAIN: no size took it, because packets must be received first; CTV_ERROR_ARGUMENT:
 * no size took it; other errors as ctv_encoder_send(): some sizes may have taken it, and the others
 * restart with a key frame. */
CTV_API ctv_status ctv_simulcast_send(ctv_simulcast* simulcast, const ctv_picture* picture);
/** Closes all encoders; NULL is allowed. */
CTV_API void ctv_simulcast_close(ctv_simulcast* simulcast);

#ifdef __cplusplus
}
#endif

#endif
