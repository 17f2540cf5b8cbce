/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Transport of coded frames over datagrams that may be lost, reordered, repeated or damaged. Library ctv_net.
 *
 * There is no socket, no clock and no thread: the program moves the bytes, and the time is an argument, in
 * microseconds from any origin, that never goes back. A sender cuts frames into datagrams, adds parity and
 * keeps them for repetition. A receiver puts frames together, rebuilds lost datagrams, asks for others, gives
 * a frame as it is when its deadline passes, and writes feedback for the sender. docs/calls.md is a call in
 * both directions.
 *
 * A frame is a list of parts with priorities. Parts of one priority form a group: they are lost and protected
 * together. Priority 0 is what a decoder cannot do without: a frame whose group 0 is lost is lost. Frames are
 * not encrypted and datagrams not authenticated: that belongs below (DTLS, QUIC) or around the datagrams
 * (SRTP).
 *
 * The rules of ctv.h hold, with ctv_net_last_error() in the place of ctv_last_error(). Memory is bounded by
 * the limits in the configurations, whatever arrives.
 */
#ifndef CTV_NET_H
#define CTV_NET_H

#include <ctv/ctv.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns a message about the last failure of ctv_net in the calling thread, or "". Valid until its next
 * call. */
CTV_API const char* ctv_net_last_error(void);

/* ---- Datagrams ------------------------------------------------------------------------------------- */

/** Bytes of a datagram before its payload. */
#define CTV_NET_HEADER_SIZE 12
/** Priorities of parts: 0, the highest, to 3. */
#define CTV_NET_PRIORITIES 4
/** Most parts of a frame. */
#define CTV_NET_MAX_PARTS 255

/** What the first bytes of a datagram say to a server that forwards some and drops others. They are not
 * encrypted. A server that drops datagrams also numbers the rest again: sequence is in bytes 2 and 3,
 * little-endian. */
typedef struct ctv_net_header {
  size_t struct_size;  /**< sizeof(ctv_net_header). */
  int32_t feedback;    /**< 1: a message of the receiver; of the other members only sequence has a meaning. */
  int32_t sequence;    /**< Datagrams in sending order, modulo 65536. */
  int32_t frame;       /**< Frame number modulo 65536. */
  int32_t reference;   /**< Frames back to the reference, 1..255; 0: none, a key frame. */
  int32_t temporal_id; /**< Temporal layer, 0..7. */
  int32_t spatial_id;  /**< Spatial layer, 0..3. */
  int32_t priority;    /**< Priority, 0..3. */
  int32_t part; /**< First part of which the datagram has bytes; of a parity datagram the group's first. */
  int32_t key_frame;   /**< 1: of a key frame. */
  int32_t discardable; /**< 1: no other frame refers to this one. */
  int32_t parity;      /**< 1: parity of its block. */
  int32_t last;        /**< 1: last datagram of the frame in sending order. */
  int32_t repeated;    /**< 1: sent again. */
  int32_t block;       /**< Number of its block in the group. */
  int32_t blocks;      /**< Blocks of the group, 1..255. */
  int32_t index;       /**< Place in the block: 0..count - 1; of parity datagrams 0..63. */
  int32_t count;       /**< Datagrams of the block without parity, 1..128. */
} ctv_net_header;
/** Clears a header and sets struct_size. */
static inline void ctv_net_header_init(ctv_net_header* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}
/** Reads a datagram's header. Allocates nothing.
 * @return CTV_OK; CTV_ERROR_STREAM with the field's name. */
CTV_API ctv_status ctv_net_header_parse(const uint8_t* data, size_t size, ctv_net_header* header);

/* ---- Frames ---------------------------------------------------------------------------------------- */

/** A part of a frame, lost or received as a whole. */
typedef struct ctv_net_part {
  const uint8_t* data; /**< The bytes; received parts follow each other in memory. */
  size_t size;         /**< Bytes. */
  int32_t priority;    /**< 0..3. */
  int32_t missing;     /**< Received frames: 1 if it was lost; its bytes are 0. */
} ctv_net_part;

/** What became of a frame. */
typedef enum ctv_net_state {
  CTV_NET_UNKNOWN = 0,    /**< Nothing is known yet. */
  CTV_NET_WHOLE = 1,      /**< Every part came. As a report: decoded, as the encoder has it. */
  CTV_NET_INCOMPLETE = 2, /**< Parts are missing. As a report: decoded with damage. */
  CTV_NET_LOST = 3        /**< Parts of priority 0 are missing. As a report: not decoded. */
} ctv_net_state;

/** A frame as it is sent or received. */
typedef struct ctv_net_frame {
  size_t struct_size;   /**< sizeof(ctv_net_frame). */
  int64_t frame_number; /**< Number, rising from frame to frame; gaps count as lost frames. A receiver takes
                             the first one modulo 65536. */
  int64_t reference;    /**< Number of the frame that it refers to, at most 255 less; -1: a key frame.
                             Received: less than -1 if that one came before frame 0. */
  int32_t temporal_id;  /**< Temporal layer, 0..7. */
  int32_t spatial_id;   /**< Spatial layer, 0..3. */
  int32_t discardable;  /**< 1: no other frame refers to it. */
  const ctv_net_part*
      parts;           /**< Parts in their order. Received: the receiver's, valid until its next call. */
  size_t part_count;   /**< 1..CTV_NET_MAX_PARTS; received lost frames have none. */
  ctv_net_state state; /**< Received: WHOLE, INCOMPLETE or LOST. */
  int64_t lost_frames; /**< Received, LOST: how many frames from frame_number on are lost. */
  int32_t repaired;    /**< Received: datagrams rebuilt from parity. */
  int32_t repeated;    /**< Received: datagrams that came because they were asked for. */
  int64_t arrival_us;  /**< Received: when its first datagram came, or would have come. */
} ctv_net_frame;
/** Clears a frame and sets struct_size. */
static inline void ctv_net_frame_init(ctv_net_frame* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}

/* ---- Protection ------------------------------------------------------------------------------------ */

/** How much parity is sent: for each block the least number of parity datagrams with which it fails in at
 * most `failures` of a million frames, in a channel of two states with this loss and this mean length of
 * bursts. */
typedef struct ctv_net_protection {
  size_t struct_size;     /**< sizeof(ctv_net_protection). */
  int32_t loss_permille;  /**< Share of lost datagrams, 0..1000. */
  int32_t burst_permille; /**< Mean number of datagrams lost in a row, in thousandths, 1000..100000. */
  int32_t failures[CTV_NET_PRIORITIES]; /**< Per priority: 0..1000000; 1000000: no parity. */
  int32_t most[CTV_NET_PRIORITIES];     /**< Per priority: most parity datagrams of a block, 0..64. */
} ctv_net_protection;
/** Clears a protection: no parity, and sets struct_size. */
static inline void ctv_net_protection_init(ctv_net_protection* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
  value->burst_permille = 1000;
}
/** Chooses a protection for a call. Loss below 0.2 % gets none, since feedback repairs it. Otherwise priority
 * 0 gets parity, so that a block of it fails about as often as a datagram that is sent twice; the rest is
 * left to references and to repetition.
 * @param loss_permille share of lost datagrams, 0..1000
 * @param burst_permille mean number lost in a row, in thousandths, 1000..100000
 * @param protection receives the choice
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_net_protection_choose(int32_t loss_permille, int32_t burst_permille,
                                             ctv_net_protection* protection);
/** Returns how many parity datagrams a block of `count` gets at a priority if it is spread evenly over a
 * frame with so many `others`, 0..64; 0 for arguments out of range. */
CTV_API int32_t ctv_net_parity_count(const ctv_net_protection* protection, int32_t priority, int32_t count,
                                     int32_t others);

/** What is measured of a network, which ctv_net_sender_measure() fills in, and what a call wants. */
typedef struct ctv_net_measurement {
  size_t struct_size;     /**< sizeof(ctv_net_measurement). */
  int64_t bitrate;        /**< Bits per second that the network carries, 1..10^12. */
  int32_t loss_permille;  /**< Share of lost datagrams, 0..1000. Initially 0. */
  int32_t burst_permille; /**< Mean number lost in a row, in thousandths, 1000..100000. Initially 1000. */
  int64_t round_trip_us;  /**< Time to the receiver and back, 0..60000000; -1, initially: not known yet. */
  int64_t playout_us;     /**< Added delay that viewers bear, 0..60000000. */
  int32_t fps_num;        /**< Pictures per second of the camera, numerator, from 1. */
  int32_t fps_den;        /**< The same, denominator, from 1. */
  int32_t forwarded;      /**< 1: a server forwards to several receivers and may leave layers out. */
  int32_t part_permille;  /**< Bytes of parts in 1000 sent, 0..1000 (below 400: as 400). Initially 850. */
} ctv_net_measurement;
/** Clears a measurement, with 30 pictures per second, and sets struct_size. */
static inline void ctv_net_measurement_init(ctv_net_measurement* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
  value->burst_permille = 1000;
  value->round_trip_us = -1;
  value->fps_num = 30;
  value->fps_den = 1;
  value->part_permille = 850;
}

/** How to send over that network. */
typedef struct ctv_net_settings {
  size_t struct_size;      /**< sizeof(ctv_net_settings). */
  int64_t bitrate;         /**< For ctv_encoder_set_bitrate(): what headers, parity and repetition leave. */
  int32_t temporal_layers; /**< For ctv_encoder_set_temporal_layers(), 1..3. */
  int32_t every; /**< Of so many pictures one is to be coded, 1..4: few and sharp ones rather than many. */
  ctv_net_protection protection;     /**< For ctv_net_sender_protect(), of predicted frames. */
  ctv_net_protection key_protection; /**< The same of key frames, which are needed whole. */
  int64_t deadline_us;               /**< For ctv_net_receiver_set_timing(). */
  int32_t repeats;                   /**< The same; 0 if nothing comes again in time. */
} ctv_net_settings;
/** Clears settings and sets struct_size. */
static inline void ctv_net_settings_init(ctv_net_settings* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}
/** Chooses settings from a measurement; it depends on nothing else.
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name. */
CTV_API ctv_status ctv_net_settings_choose(const ctv_net_measurement* measurement,
                                           ctv_net_settings* settings);

/* ---- Sender ---------------------------------------------------------------------------------------- */

/** A sender of one stream. */
typedef struct ctv_net_sender ctv_net_sender;

/** Configuration of a sender. Fill it with ctv_net_sender_config_init(). */
typedef struct ctv_net_sender_config {
  size_t struct_size; /**< sizeof(ctv_net_sender_config). */
  int32_t mtu;        /**< Largest datagram in bytes, 64..65000. Initially 1200. */
  int32_t repeats;    /**< How often a datagram is sent again at most, 0..8. Initially 2. */
  int64_t max_memory; /**< Bytes of datagrams that wait or are kept for repetition, from 65536. Initially 4
                         MiB. */
} ctv_net_sender_config;
/** Fills a configuration with defaults. */
static inline void ctv_net_sender_config_init(ctv_net_sender_config* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
  value->mtu = 1200;
  value->repeats = 2;
  value->max_memory = 4 << 20;
}

/** Opens a sender.
 * @param config the configuration; copied
 * @param sender receives the sender, NULL on failure
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name. */
CTV_API ctv_status ctv_net_sender_open(const ctv_net_sender_config* config, ctv_net_sender** sender);
/** Closes a sender; NULL is allowed. */
CTV_API void ctv_net_sender_close(ctv_net_sender* sender);
/** Sets the protection from the next frame on. A new sender has none.
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name. */
CTV_API ctv_status ctv_net_sender_protect(ctv_net_sender* sender, const ctv_net_protection* protection);
/** Cuts a frame into datagrams. The bytes are copied. The datagrams of each priority, parity last, are spread
 * evenly over the frame. With parity they may be smaller than the MTU, if that takes fewer bytes.
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name; CTV_ERROR_LIMIT if the frame is larger than
 * max_memory or than 32,640 datagrams of a priority. A refused frame changes nothing. */
CTV_API ctv_status ctv_net_sender_push(ctv_net_sender* sender, const ctv_net_frame* frame);
/** Returns the next datagram to send; repetitions come first.
 * @param sender the sender
 * @param now_us the time at which it is sent
 * @param data receives its first byte; the sender's, valid until its next call
 * @param size receives its size
 * @return CTV_OK; CTV_AGAIN if there is none. */
CTV_API ctv_status ctv_net_sender_next(ctv_net_sender* sender, int64_t now_us, const uint8_t** data,
                                       size_t* size);

/** What became of one frame. */
typedef struct ctv_net_report {
  int64_t frame_number; /**< The frame. */
  ctv_net_state
      state; /**< WHOLE: it may be referred to; INCOMPLETE, LOST: neither it nor what descends from it. */
} ctv_net_report;

/** What a message of the receiver says. */
typedef struct ctv_net_feedback {
  size_t struct_size; /**< sizeof(ctv_net_feedback). */
  const ctv_net_report*
      reports;         /**< What is new, oldest frame first. A frame whose priority 0 is asked for again is
                          reported LOST at once. The sender's, valid until its next call. */
  size_t report_count; /**< Reports, at most 128. */
  int32_t key_frame;   /**< 1: the receiver asks for a key frame. Stays 1 until it has one. */
  int32_t repeats;     /**< Datagrams that will be sent again. */
} ctv_net_feedback;
/** Clears a feedback and sets struct_size. */
static inline void ctv_net_feedback_init(ctv_net_feedback* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}
/** Takes a message of the receiver: reports what is new, and queues what is to be sent again.
 * @return CTV_OK; CTV_ERROR_STREAM with the field's name: nothing changed. */
CTV_API ctv_status ctv_net_sender_feedback(ctv_net_sender* sender, int64_t now_us, const uint8_t* data,
                                           size_t size, ctv_net_feedback* feedback);
/** Fills in what is measured: loss_permille and burst_permille of the last message of the receiver,
 * round_trip_us smoothed, and part_permille of what was sent lately, parity and repetition included. Until
 * the first message and the first frame these have their initial values. The other members stay as they are.
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_net_sender_measure(const ctv_net_sender* sender, ctv_net_measurement* measurement);

/** What a sender has sent, in bytes of datagrams with their headers. */
typedef struct ctv_net_sender_statistics {
  size_t struct_size;    /**< sizeof(ctv_net_sender_statistics). */
  uint64_t datagrams;    /**< All datagrams. */
  uint64_t header_bytes; /**< Their headers and tables of parts, parity and repetition apart. */
  uint64_t data_bytes[CTV_NET_PRIORITIES]; /**< Parts, per priority. */
  uint64_t parity_bytes;                   /**< Parity. */
  uint64_t repeated_bytes;                 /**< Repetition. */
  uint64_t held_bytes;                     /**< Datagrams that wait or are kept now. */
} ctv_net_sender_statistics;
/** Clears statistics and sets struct_size. */
static inline void ctv_net_sender_statistics_init(ctv_net_sender_statistics* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}
/** Returns what was sent so far. */
CTV_API ctv_status ctv_net_sender_get_statistics(const ctv_net_sender* sender,
                                                 ctv_net_sender_statistics* statistics);

/* ---- Receiver -------------------------------------------------------------------------------------- */

/** A receiver of one stream. */
typedef struct ctv_net_receiver ctv_net_receiver;

/** Configuration of a receiver. Fill it with ctv_net_receiver_config_init(). */
typedef struct ctv_net_receiver_config {
  size_t struct_size;  /**< sizeof(ctv_net_receiver_config). */
  int32_t mtu;         /**< Largest datagram that is taken, and that feedback fills: 64..65000. Initially
                            1500. */
  int32_t max_frames;  /**< Frames that wait at once, 1..1024. Initially 64. */
  int64_t max_memory;  /**< Bytes of datagrams held, from 65536. A frame given takes as much again. Initially
                            8 MiB. */
  int64_t deadline_us; /**< How long after its first datagram an incomplete frame is given as it is,
                            0..60000000; while datagrams of it still come, reorder_us after the latest.
                            Initially 20000. */
  int64_t reorder_us;  /**< How long datagrams of a frame may come late before they count as lost and are
                            asked for, 0..60000000. Initially 5000. */
  int64_t frame_interval_us; /**< Time between frames: when a frame was due of which nothing came,
                                0..60000000. Initially 33333. */
  int64_t round_trip_us; /**< Time to the sender and back. What cannot come before the deadline is not asked
                              for. 0..60000000. Initially 100000. */
  int32_t repeats;       /**< How often datagrams of a frame are asked for, 0..8. Initially 2. */
} ctv_net_receiver_config;
/** Fills a configuration with defaults. */
static inline void ctv_net_receiver_config_init(ctv_net_receiver_config* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
  value->mtu = 1500;
  value->max_frames = 64;
  value->max_memory = 8 << 20;
  value->deadline_us = 20000;
  value->reorder_us = 5000;
  value->frame_interval_us = 33333;
  value->round_trip_us = 100000;
  value->repeats = 2;
}

/** Opens a receiver.
 * @param config the configuration; copied
 * @param receiver receives the receiver, NULL on failure
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name. */
CTV_API ctv_status ctv_net_receiver_open(const ctv_net_receiver_config* config, ctv_net_receiver** receiver);
/** Closes a receiver; NULL is allowed. */
CTV_API void ctv_net_receiver_close(ctv_net_receiver* receiver);
/** Takes a datagram. What came before, comes too late or after its frame is complete is ignored.
 * @return CTV_OK; CTV_ERROR_STREAM with the field's name: the datagram is damaged or contradicts others of
 * its frame, and changed nothing; CTV_ERROR_LIMIT: max_memory is full, and the datagram was not taken. Take
 * the next frame, then give it again. */
CTV_API ctv_status ctv_net_receiver_push(ctv_net_receiver* receiver, int64_t now_us, const uint8_t* data,
                                         size_t size);
/** Gives the next frame in order: as soon as it is whole, or as it is when its deadline has passed or memory
 * ends.
 * @return CTV_OK; CTV_AGAIN if none is due. After CTV_ERROR_MEMORY the call may be repeated. */
CTV_API ctv_status ctv_net_receiver_next(ctv_net_receiver* receiver, int64_t now_us, ctv_net_frame* frame);
/** Reports what the decoder made of a frame that was given, for the next feedback. Frames that are lost are
 * reported already. Only the last 64 frames are reported.
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_net_receiver_report(ctv_net_receiver* receiver, int64_t frame_number,
                                           ctv_net_state state);
/** Asks for a key frame in each feedback until one is reported as WHOLE. */
CTV_API ctv_status ctv_net_receiver_request_key_frame(ctv_net_receiver* receiver);
/** Returns the message to send to the sender, if there is anything new to say. Each message repeats the
 * reports of the last 64 frames, so that lost ones do no harm.
 * @param receiver the receiver
 * @param now_us the time
 * @param data receives its first byte; the receiver's, valid until its next call
 * @param size receives its size, at most mtu
 * @return CTV_OK; CTV_AGAIN if there is none. */
CTV_API ctv_status ctv_net_receiver_feedback(ctv_net_receiver* receiver, int64_t now_us, const uint8_t** data,
                                             size_t* size);
/** Returns when next() or feedback() should be called again if nothing arrives before; INT64_MAX: not at all.
 */
CTV_API ctv_status ctv_net_receiver_due(ctv_net_receiver* receiver, int64_t* time_us);
/** Changes deadline, round trip and repeats of a configuration; 0..60000000, 0..60000000, 0..8. */
CTV_API ctv_status ctv_net_receiver_set_timing(ctv_net_receiver* receiver, int64_t deadline_us,
                                               int64_t round_trip_us, int32_t repeats);

/** What a receiver has seen. */
typedef struct ctv_net_receiver_statistics {
  size_t struct_size;     /**< sizeof(ctv_net_receiver_statistics). */
  uint64_t datagrams;     /**< Datagrams taken. */
  uint64_t refused;       /**< Damaged ones, or that contradict others. */
  uint64_t duplicates;    /**< Repeated, or of complete blocks. */
  uint64_t late;          /**< Of frames that were given. */
  uint64_t whole;         /**< Frames given whole. */
  uint64_t incomplete;    /**< Frames given with parts missing. */
  uint64_t lost;          /**< Frames lost. */
  uint64_t repaired;      /**< Datagrams rebuilt from parity. */
  uint64_t asked;         /**< Datagrams asked for. */
  uint64_t repeated;      /**< Datagrams that came because they were asked for. */
  uint64_t held_bytes;    /**< Bytes of datagrams held now. */
  uint64_t held_frames;   /**< Frames that wait now. */
  int32_t loss_permille;  /**< Share of the last datagrams that were lost. */
  int32_t burst_permille; /**< Mean number lost in a row, in thousandths. */
} ctv_net_receiver_statistics;
/** Clears statistics and sets struct_size. */
static inline void ctv_net_receiver_statistics_init(ctv_net_receiver_statistics* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}
/** Returns what was seen so far. */
CTV_API ctv_status ctv_net_receiver_get_statistics(const ctv_net_receiver* receiver,
                                                   ctv_net_receiver_statistics* statistics);

#ifdef __cplusplus
}
#endif

#endif
