// Bounds of connections, of any protocol: sockets, memory of messages and replies, silence, and the
// stop of the server.

import { KiB, MiB } from '../units.js'

// Sockets

/** Sockets of the MongoDB protocol, about 20 KiB each beside requests. A further one is closed. */
export const wireConnectionsMax = 10_000
/** Sockets of the Redis protocol (maxclients). A further one gets Redis' error. */
export const respConnectionsMax = 10_000
/** Sockets of the PostgreSQL protocol. A further one gets 53300. */
export const sqlConnectionsMax = 10_000
/**
 * Sockets before login: of a listener, of one address (IPv6: of one /64), and their idle time. At
 * the bound a new socket replaces the oldest.
 */
export const anonymousSocketsMax = 1_000
export const anonymousSocketsOfAddressMax = anonymousSocketsMax / 2
export const anonymousIdleMs = 60_000
/** Failed logins of one connection; the next reply closes it. */
export const authFailuresPerConnectionMax = 5
/** Silence after which TCP sends a keep-alive probe (reference server: 120 s). */
export const tcpKeepAliveMs = 60_000
/**
 * Document wire: so many connections of one client in a row that end within this time and sent
 * hello only, all within the second time, make a warning, once in the third time. Known clients.
 */
export const helloOnlyVisits = 3
export const helloOnlyStayMsMax = 5_000
export const helloOnlyWithinMs = 10 * 60_000
export const helloOnlyRepeatMs = 60 * 60_000
export const watchedClientsMax = 1_000
/** A graceful stop waits this long for commands in flight, then closes their sockets. */
export const shutdownMsMax = 4_000

// Memory of messages and replies

/** MEMORY_BUDGET for a part that runs without settings, bytes. */
export const memoryBudgetBytes = 256 * 1_000_000
/** Larger messages wait for room in the memory budget, bytes; smaller ones are only counted. */
export const smallMessageBytesMax = 64 * KiB
/** Time for a stalled large message, and for a closing socket with an unread reply. */
export const messageStallMs = 30_000
/** Unsent replies above which Sigil stops reading from the socket until it drains, bytes. */
export const socketBacklogBytesMax = 1 * MiB
/** Unread replies above the backlog hold shared memory, so the socket is closed after this time. */
export const replyStallMs = 5 * 60_000
/** With memory short, a client that reads none of its replies is disconnected after this time. */
export const pressedStallMs = 3_000
/** Replies of one pipeline that are made before the client has read some of them, bytes. */
export const pipelineReplyBytes = 1 * MiB

/** Characters of the message of an error, which may quote a value of megabytes. */
export const messageCharsMax = 16_384
