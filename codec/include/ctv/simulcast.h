/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Simulcast: two or three sizes of one capture, each a stream of its own, for a server that forwards to each
 * receiver the size that it can take. Part of library ctv; the rules of ctv.h hold.
 *
 * Each size has half the width and height of the next. Size 0 is the smallest, as a datagram's spatial id
 * counts (ctv_net_frame.spatial_id). A picture has the same frame number and timestamp in all sizes, so a
 * receiver switches at a key frame without further ado: it decodes that size's header and goes on.
 * tests/api/simulcast_call.c is an example.
 */
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
 * @param config the configuration of the largest size, which is that of the pictures; copied. The others
 * differ in width, height and bitrate. A size of n samples is halved to (n + 1) / 2.
 * @param bitrates bits per second of each size, from the smallest; NULL: as config says
 * @param sizes how many, 1..CTV_SIMULCAST_SIZES
 * @param simulcast receives the encoders, NULL on failure
 * @return as ctv_encoder_open() */
CTV_API ctv_status ctv_simulcast_open(const ctv_config* config, const int64_t* bitrates, int32_t sizes,
                                      ctv_simulcast** simulcast);
/** Returns the encoder of a size, NULL if there is none. It is owned by the simulcast: its header, packets,
 * reports, bitrate and all settings are had by the functions of ctv.h. Pictures are not sent to it, and it is
 * neither reconfigured nor closed. */
CTV_API ctv_encoder* ctv_simulcast_encoder(ctv_simulcast* simulcast, int32_t size);
/** Turns a size on or off from the next picture on. A size that is off costs nothing but the scaling to
 * smaller ones. Its first frame when it is on again is a key frame.
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_simulcast_set_active(ctv_simulcast* simulcast, int32_t size, int32_t active);
/** Makes the next picture a key frame in all sizes that are on, whatever min_key_distance says. */
CTV_API ctv_status ctv_simulcast_request_key_frame(ctv_simulcast* simulcast);
/** Sends a picture to all sizes that are on. Each size is scaled once, from the next larger one, by an exact
 * filter on the CPU: equal pictures give equal bytes with any backend. Chroma is scaled as luma is; with
 * left-sited chroma it moves by a quarter of a luma sample.
 * @param simulcast the encoders
 * @param picture as in ctv_encoder_send(), in host memory
 * @return CTV_OK; CTV_AGAIN: no size took it, since one has no room or was turned on again and has packets
 * to receive; CTV_ERROR_ARGUMENT: no size took it; otherwise as ctv_encoder_send(), and some sizes may have
 * taken it: those that did not begin again with a key frame. */
CTV_API ctv_status ctv_simulcast_send(ctv_simulcast* simulcast, const ctv_picture* picture);
/** Closes all encoders; NULL is allowed. */
CTV_API void ctv_simulcast_close(ctv_simulcast* simulcast);

#ifdef __cplusplus
}
#endif

#endif
