/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Transport of coded frames over datagrams that may be lost, reordered, repeated or damaged. Library ctv_net.
 *
 * The library uses no socket, clock or thread. The program moves the bytes and passes the time: microseconds
 * from any origin, never decreasing. A sender divides frames into datagrams, adds parity and keeps them for
 * repetition. A receiver assembles frames, rebuilds lost datagrams or requests them again, returns an
 * incomplete frame at its deadline, and writes feedback for the sender. docs/calls.md describes a call in
 * both directions.
 *
 * A frame is a list of parts with priorities. The parts of one priority form a group, which is protected as a
 * whole. A decoder needs priority 0: without group 0 the frame is lost. Datagrams are encrypted and
 * authenticated only with a cipher (ctv_net_cipher); otherwise use a secure transport (DTLS, QUIC).
 *
 * The rules of ctv.h hold, with ctv_net_last_error() instead of ctv_last_error(). The configurations limit
 * the memory, whatever arrives. */
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

/** Header of a datagram, for a server that forwards some datagrams and drops others. Not encrypted. A
 * server that drops datagrams must renumber the rest: sequence is in bytes 2 and 3, little-endian. */
typedef struct ctv_net_header {
  size_t struct_size;  /**< sizeof(ctv_net_header). */
  int32_t feedback;    /**< 1: a message of the receiver; only sequence, its number, is valid. */
  int32_t sequence;    /**< Datagrams in sending order, modulo 65536. */
  int32_t frame;       /**< Frame number modulo 65536. */
  int32_t reference;   /**< Distance in frames to the reference, 1..255; 0: none, a key frame. */
  int32_t temporal_id; /**< Temporal layer, 0..7. */
  int32_t spatial_id;  /**< Spatial layer, 0..3. */
  int32_t priority;    /**< Priority, 0..3. */
  int32_t part;        /**< First part with bytes in the datagram; parity: the group's first part. */
  int32_t key_frame;   /**< 1: of a key frame. */
  int32_t discardable; /**< 1: no other frame refers to this one. */
  int32_t parity;      /**< 1: parity of its block. */
  int32_t last;        /**< 1: last datagram of the frame in sending order. */
  int32_t repeated;    /**< 1: sent again. */
  int32_t block;       /**< Number of its block in the group. */
  int32_t blocks;      /**< Blocks of the group, 1..255. */
  int32_t index;       /**< Index in the block: 0..count - 1; parity datagrams: 0..63. */
  int32_t count;       /**< Datagrams of the block, without parity: 1..128. */
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
  const uint8_t* data; /**< The bytes; received parts are contiguous in memory. */
  size_t size;         /**< Bytes. */
  int32_t priority;    /**< 0..3. */
  int32_t missing;     /**< Received frames: 1 if it was lost; its bytes are 0. */
} ctv_net_part;

/** Result of a frame. */
typedef enum ctv_net_state {
  CTV_NET_UNKNOWN = 0,    /**< Nothing is known yet. */
  CTV_NET_WHOLE = 1,      /**< Every part has arrived. In a report: decoded without damage. */
  CTV_NET_INCOMPLETE = 2, /**< Parts are missing. In a report: decoded with damage. */
  CTV_NET_LOST = 3        /**< Parts of priority 0 are missing. In a report: not decoded. */
} ctv_net_state;

/** A frame as it is sent or received. */
typedef struct ctv_net_frame {
  size_t struct_size;   /**< sizeof(ctv_net_frame). */
  int64_t frame_number; /**< Increases from frame to frame; gaps count as lost frames. A receiver takes the
                             first one modulo 65536. */
  int64_t reference;    /**< Number of the reference, at most 255 less; -1: a key frame. Received: less
                             than -1 if the reference precedes frame 0. */
  int32_t temporal_id;  /**< Temporal layer, 0..7. */
  int32_t spatial_id;   /**< Spatial layer, 0..3. */
  int32_t discardable;  /**< 1: no other frame refers to it. */
  const ctv_net_part*
      parts;           /**< Parts in order. Received: owned by the receiver, valid until its next call. */
  size_t part_count;   /**< 1..CTV_NET_MAX_PARTS; 0 in received lost frames. */
  ctv_net_state state; /**< Received: WHOLE, INCOMPLETE or LOST. */
  int64_t lost_frames; /**< Received, LOST: number of consecutive lost frames, from frame_number on. */
  int32_t repaired;    /**< Received: datagrams rebuilt from parity. */
  int32_t repeated;    /**< Received: datagrams that arrived on request. */
  int64_t arrival_us;  /**< Received: time at which its first datagram arrived, or should have. */
} ctv_net_frame;
/** Clears a frame and sets struct_size. */
static inline void ctv_net_frame_init(ctv_net_frame* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}

/* ---- Protection ------------------------------------------------------------------------------------ */

/** Amount of parity. Each block gets the least number of parity datagrams with which it fails in at most
 * `failures` of a million frames. The model is a two-state channel with this loss and mean burst length. */
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
/** Chooses a protection for a call. Loss below 0.2 % gets no parity: repetition repairs it. Otherwise
 * priority 0 gets parity, so that a block fails about as often as a datagram that is sent twice. The other
 * priorities rely on repetition and on the choice of references.
 * @param loss_permille share of lost datagrams, 0..1000
 * @param burst_permille mean number lost in a row, in thousandths, 1000..100000
 * @param protection receives the choice
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_net_protection_choose(int32_t loss_permille, int32_t burst_permille,
                                             ctv_net_protection* protection);
/** Returns the number of parity datagrams, 0..64, of a block with `count` datagrams at a priority, spread
 * evenly among `others` other datagrams of the frame; 0 for arguments out of range. */
CTV_API int32_t ctv_net_parity_count(const ctv_net_protection* protection, int32_t priority, int32_t count,
                                     int32_t others);

/** Measurements of a network (ctv_net_sender_measure()) and requirements of a call. */
typedef struct ctv_net_measurement {
  size_t struct_size;     /**< sizeof(ctv_net_measurement). */
  int64_t bitrate;        /**< Bits per second that may be sent, 1..10^12. Measured only if
                               ctv_net_sender_config.bitrate is not 0. */
  int32_t loss_permille;  /**< Share of lost datagrams, 0..1000. Initially 0. */
  int32_t burst_permille; /**< Mean number lost in a row, in thousandths, 1000..100000. Initially 1000. */
  int64_t round_trip_us;  /**< Time to the receiver and back, 0..60000000; -1, initially: unknown. */
  int64_t playout_us;     /**< Acceptable additional delay, 0..60000000. */
  int32_t fps_num;        /**< Frame rate of the camera, numerator, at least 1. */
  int32_t fps_den;        /**< Frame rate of the camera, denominator, at least 1. */
  int32_t forwarded;      /**< 1: a server forwards to several receivers and may drop layers. */
  int32_t part_permille;  /**< Bytes of parts in 1000 bytes sent, 0..1000 (less than 400 is taken as 400).
                               Initially 850. */
  int64_t waiting_us;     /**< Time until a frame that is pushed now begins to leave. Initially 0. */
  int64_t silent_us;      /**< How long the receiver has not answered what was sent. Initially 0. */
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

/** Settings for that network. */
typedef struct ctv_net_settings {
  size_t struct_size;                /**< sizeof(ctv_net_settings). */
  int64_t bitrate;                   /**< For ctv_encoder_set_bitrate(): the bitrate minus headers, parity and
                                          repetition. */
  int32_t temporal_layers;           /**< For ctv_encoder_set_temporal_layers(), 1..3. */
  int32_t frame_interval;            /**< Code one of this many pictures, 1..4, to keep the quality. */
  ctv_net_protection protection;     /**< Of predicted frames. */
  ctv_net_protection key_protection; /**< Of key frames. */
  int64_t deadline_us;               /**< The receiver's: time from a frame's first datagram until it is
                                          returned incomplete. -1: the receiver's own configuration. */
  int32_t repeats; /**< The receiver's: requests for datagrams of a frame; 0 if no repetition
                        arrives in time. */
  int32_t pause;   /**< 1: code no picture now. It would wait in the sender, or the receiver
                        is silent. */
} ctv_net_settings;
/** Clears settings: no parity, and sets struct_size. */
static inline void ctv_net_settings_init(ctv_net_settings* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
  ctv_net_protection_init(&value->protection);
  ctv_net_protection_init(&value->key_protection);
  value->deadline_us = -1;
}
/** Chooses settings; equal measurements give equal settings.
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name. */
CTV_API ctv_status ctv_net_settings_choose(const ctv_net_measurement* measurement,
                                           ctv_net_settings* settings);

/* ---- Secrecy --------------------------------------------------------------------------------------- */

/** A cipher of the program that encrypts and authenticates (AEAD), for example ChaCha20-Poly1305. Sender and
 * receiver of a stream have the same key, which no other stream and no later sender may have. Then datagrams
 * and messages without the key change nothing and are not answered, and each is taken once. */
typedef struct ctv_net_cipher {
  size_t struct_size; /**< sizeof(ctv_net_cipher). */
  void* context;      /**< First argument of both functions. */
  int32_t overhead;   /**< Bytes by which seal() makes data longer, 0..64: the tag. */
  /** Encrypts data to size + overhead bytes in out, and authenticates it together with the header. `number`
   * never repeats with a key: use it as nonce. Returns 0; otherwise the datagram is not sent. */
  int32_t (*seal)(void* context, uint64_t number, const uint8_t* header, size_t header_size,
                  const uint8_t* data, size_t size, uint8_t* out);
  /** Decrypts data to size - overhead bytes in out. Returns 0 if data and header are authentic. */
  int32_t (*open)(void* context, uint64_t number, const uint8_t* header, size_t header_size,
                  const uint8_t* data, size_t size, uint8_t* out);
} ctv_net_cipher;
/** Clears a cipher and sets struct_size. */
static inline void ctv_net_cipher_init(ctv_net_cipher* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}

/* ---- Sender ---------------------------------------------------------------------------------------- */

/** A sender of one stream. */
typedef struct ctv_net_sender ctv_net_sender;

/** Configuration of a sender. Fill it with ctv_net_sender_config_init(). */
typedef struct ctv_net_sender_config {
  size_t struct_size;  /**< sizeof(ctv_net_sender_config). */
  int32_t mtu;         /**< Largest datagram in bytes, 64..65000. Initially 1200. */
  int32_t repeats;     /**< Repetitions of a datagram at most, 0..8. Initially 2. */
  int64_t max_memory;  /**< Bytes of datagrams that wait or are kept for repetition, at least 65536.
                            Initially 4 MiB. */
  int64_t bitrate;     /**< Bits per second at first, to 10^12; messages of the receiver then tell what the
                            network carries, and datagrams leave at that rate. 0, initially: the program
                            controls the rate, and datagrams leave at once. */
  int64_t max_bitrate; /**< Bits per second at most, 1..10^12. Initially 10^7. */
} ctv_net_sender_config;
/** Fills a configuration with defaults. */
static inline void ctv_net_sender_config_init(ctv_net_sender_config* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
  value->mtu = 1200;
  value->repeats = 2;
  value->max_memory = 4 << 20;
  value->max_bitrate = 10000000;
}

/** Opens a sender.
 * @param config the configuration; copied
 * @param sender receives the sender, NULL on failure
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name. */
CTV_API ctv_status ctv_net_sender_open(const ctv_net_sender_config* config, ctv_net_sender** sender);
/** Closes a sender; NULL is allowed. */
CTV_API void ctv_net_sender_close(ctv_net_sender* sender);
/** Encrypts datagrams, and takes only messages with the key. Call it once, before the first frame. mtu
 * includes the cipher's overhead and four bytes.
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name. */
CTV_API ctv_status ctv_net_sender_encrypt(ctv_net_sender* sender, const ctv_net_cipher* cipher);
/** Sets the protection from the next frame on, and what the receiver is told: deadline_us, repeats and the
 * round trip. Without this call frames have no parity, and the receiver uses its own configuration.
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name. */
CTV_API ctv_status ctv_net_sender_apply(ctv_net_sender* sender, const ctv_net_settings* settings);
/** Divides a frame into datagrams. The bytes are copied. The datagrams of each priority, parity last, are
 * spread evenly over the frame. With parity, datagrams may be smaller than the MTU if that takes fewer bytes.
 * @return CTV_OK; CTV_ERROR_ARGUMENT with the field's name; CTV_ERROR_LIMIT if the frame is larger than
 * max_memory or than 32,640 datagrams of a priority. A refused frame changes nothing. */
CTV_API ctv_status ctv_net_sender_push(ctv_net_sender* sender, const ctv_net_frame* frame);
/** Returns the next datagram to send; repetitions come first. With ctv_net_sender_config.bitrate, datagrams
 * leave at the rate that the network carries, the first 30 ms of a frame at once. While the receiver is
 * silent for more than a second, and than four round trips, what waits is discarded, and one datagram in a
 * second leaves.
 * @param sender the sender
 * @param now_us the time at which it is sent
 * @param data receives its first byte; owned by the sender, valid until its next call
 * @param size receives its size
 * @return CTV_OK; CTV_AGAIN if there is none yet. */
CTV_API ctv_status ctv_net_sender_next(ctv_net_sender* sender, int64_t now_us, const uint8_t** data,
                                       size_t* size);
/** Returns the time at which to call next() again; INT64_MAX: after the next frame or message. */
CTV_API ctv_status ctv_net_sender_due(const ctv_net_sender* sender, int64_t* time_us);

/** What became of one frame. */
typedef struct ctv_net_report {
  int64_t frame_number; /**< The frame. */
  ctv_net_state state;  /**< WHOLE: later frames may refer to it. INCOMPLETE, LOST: they must not refer to it
                           or to  frames that depend on it. */
} ctv_net_report;

/** Contents of a receiver's message. */
typedef struct ctv_net_feedback {
  size_t struct_size; /**< sizeof(ctv_net_feedback). */
  const ctv_net_report*
      reports;         /**< New reports, oldest frame first. A frame whose priority 0 is requested again is
                            reported LOST at once. Owned by the sender, valid until its next call. */
  size_t report_count; /**< Reports, at most 128. */
  int32_t key_frame;   /**< 1: code a key frame. At most once in a round trip, and not while one is on its
                            way. */
  int32_t repeats;     /**< Datagrams that will be sent again. */
} ctv_net_feedback;
/** Clears a feedback and sets struct_size. */
static inline void ctv_net_feedback_init(ctv_net_feedback* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}
/** Takes a message of the receiver: returns new reports and queues the requested repetitions.
 * @return CTV_OK; CTV_ERROR_STREAM with the field's name: the message changes nothing. */
CTV_API ctv_status ctv_net_sender_feedback(ctv_net_sender* sender, int64_t now_us, const uint8_t* data,
                                           size_t size, ctv_net_feedback* feedback);
/** Fills in the measured members: loss_permille and burst_permille of the receiver's last message, the
 * smoothed round_trip_us, and part_permille of recently sent datagrams, parity and repetition included; with
 * ctv_net_sender_config.bitrate also bitrate, waiting_us and silent_us. Before the first message and the
 * first frame they have their initial values. The other members are unchanged.
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_net_sender_measure(const ctv_net_sender* sender, int64_t now_us,
                                          ctv_net_measurement* measurement);

/** Statistics of a sender. Bytes are those of datagrams with their headers. */
typedef struct ctv_net_sender_statistics {
  size_t struct_size;                      /**< sizeof(ctv_net_sender_statistics). */
  uint64_t datagrams;                      /**< All datagrams. */
  uint64_t header_bytes;                   /**< Headers and tables of parts, without parity and repetition. */
  uint64_t data_bytes[CTV_NET_PRIORITIES]; /**< Parts, per priority. */
  uint64_t parity_bytes;                   /**< Parity. */
  uint64_t repeated_bytes;                 /**< Repetition. */
  uint64_t held_bytes;                     /**< Datagrams that currently wait or are kept. */
} ctv_net_sender_statistics;
/** Clears statistics and sets struct_size. */
static inline void ctv_net_sender_statistics_init(ctv_net_sender_statistics* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}
/** Returns the statistics since open. */
CTV_API ctv_status ctv_net_sender_get_statistics(const ctv_net_sender* sender,
                                                 ctv_net_sender_statistics* statistics);

/* ---- Receiver -------------------------------------------------------------------------------------- */

/** A receiver of one stream. */
typedef struct ctv_net_receiver ctv_net_receiver;

/** Configuration of a receiver. Fill it with ctv_net_receiver_config_init(). */
typedef struct ctv_net_receiver_config {
  size_t struct_size;        /**< sizeof(ctv_net_receiver_config). */
  int32_t mtu;               /**< Largest datagram, received or feedback, 64..65000 bytes. Initially 1500. */
  int32_t max_frames;        /**< Frames that can wait, 1..1024. Initially 64. */
  int64_t max_memory;        /**< Bytes of datagrams held, at least 65536. The returned frame takes as much
                                  again, and datagrams of a sender that seems to have begun again a quarter.
                                  Initially 8 MiB. */
  int64_t deadline_us;       /**< Time from a frame's first datagram until it is returned incomplete,
                                  0..60000000; later while its datagrams still arrive. Initially 20000. The sender
                                  may tell another (ctv_net_sender_apply()). */
  int64_t reorder_us;        /**< Least time by which a datagram may arrive after one that was sent later,
                                  0..60000000, before it counts as lost and is requested. A longer one is learnt
                                  from datagrams that do. Initially 5000. */
  int64_t frame_interval_us; /**< Time between frames, 0..60000000: tells when a frame was due if no
                                  datagram of it has arrived. Initially 33333. */
  int64_t round_trip_us; /**< Time to the sender and back, 0..60000000. Datagrams that cannot arrive before
                              the deadline are not requested, except those of key frames. Initially 100000.
                            The sender may tell another. */
  int32_t repeats;       /**< Requests for datagrams of a frame at most, 0..8; of key frames at least 2.
                              Initially 2. The sender may tell another. */
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
/** Takes only datagrams with the key, and encrypts messages, as ctv_net_sender_encrypt(). */
CTV_API ctv_status ctv_net_receiver_encrypt(ctv_net_receiver* receiver, const ctv_net_cipher* cipher);
/** Takes a datagram. Duplicates, late datagrams and those of complete frames are ignored.
 * @return CTV_OK; CTV_ERROR_STREAM with the field's name: the datagram is damaged or contradicts others of
 * its frame, and is ignored; CTV_ERROR_LIMIT: max_memory is reached, and the datagram was not taken. Take
 * the next frame, then push the datagram again. */
CTV_API ctv_status ctv_net_receiver_push(ctv_net_receiver* receiver, int64_t now_us, const uint8_t* data,
                                         size_t size);
/** Returns the next frame in order: when it is whole, or incomplete when its deadline has passed or
 * max_memory is reached.
 * @return CTV_OK; CTV_AGAIN if none is due; CTV_ERROR_MEMORY: the call may be repeated. */
CTV_API ctv_status ctv_net_receiver_next(ctv_net_receiver* receiver, int64_t now_us, ctv_net_frame* frame);
/** Reports how the decoder decoded a frame, for the next feedback. Lost frames are reported without this
 * call. Only the last 64 frames are reported.
 * @return CTV_OK; CTV_ERROR_ARGUMENT. */
CTV_API ctv_status ctv_net_receiver_report(ctv_net_receiver* receiver, int64_t frame_number,
                                           ctv_net_state state);
/** Requests a key frame in each feedback until one is reported as WHOLE. */
CTV_API ctv_status ctv_net_receiver_request_key_frame(ctv_net_receiver* receiver);
/** Returns the next message to the sender. Each message repeats the reports of the last 64 frames, so that
 * the loss of some does no harm.
 * @param receiver the receiver
 * @param now_us the time
 * @param data receives its first byte; owned by the receiver, valid until its next call
 * @param size receives its size, at most mtu
 * @return CTV_OK; CTV_AGAIN if there is none. */
CTV_API ctv_status ctv_net_receiver_feedback(ctv_net_receiver* receiver, int64_t now_us, const uint8_t** data,
                                             size_t* size);
/** Returns the time at which to call next() or feedback() again if nothing arrives before; INT64_MAX:
 * none. */
CTV_API ctv_status ctv_net_receiver_due(ctv_net_receiver* receiver, int64_t* time_us);

/** Statistics of a receiver. */
typedef struct ctv_net_receiver_statistics {
  size_t struct_size;     /**< sizeof(ctv_net_receiver_statistics). */
  uint64_t datagrams;     /**< Datagrams taken. */
  uint64_t refused;       /**< Datagrams that are damaged or contradict others. */
  uint64_t duplicates;    /**< Datagrams received before, or of complete blocks. */
  uint64_t late;          /**< Datagrams of frames that were already returned. */
  uint64_t whole;         /**< Frames returned whole. */
  uint64_t incomplete;    /**< Frames returned with parts missing. */
  uint64_t lost;          /**< Frames lost. */
  uint64_t repaired;      /**< Datagrams rebuilt from parity. */
  uint64_t asked;         /**< Datagrams requested. */
  uint64_t repeated;      /**< Datagrams that came because they were asked for. */
  uint64_t held_bytes;    /**< Bytes of datagrams currently held. */
  uint64_t held_frames;   /**< Frames that currently wait. */
  int32_t loss_permille;  /**< Share of the last datagrams that were lost. */
  int32_t burst_permille; /**< Mean number lost in a row, in thousandths. */
} ctv_net_receiver_statistics;
/** Clears statistics and sets struct_size. */
static inline void ctv_net_receiver_statistics_init(ctv_net_receiver_statistics* value) {
  memset(value, 0, sizeof *value);
  value->struct_size = sizeof *value;
}
/** Returns the statistics since open. */
CTV_API ctv_status ctv_net_receiver_get_statistics(const ctv_net_receiver* receiver,
                                                   ctv_net_receiver_statistics* statistics);

#ifdef __cplusplus
}
#endif

#endif
