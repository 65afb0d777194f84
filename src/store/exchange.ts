// Messages between the gateways of one store. They are hints: one may be lost, so what a gateway
// must not miss it also looks up itself.
// (docs/design/many-gateways.md, "Messages between gateways")

import { type Bytes, concatBytes } from '../base/bytes/bytes.js'

/** What a message is about; the number is part of the format. */
export const topic = {
  /** The sender uses the store: sent at its start and regularly. */
  here: 1,
  /** The sender has closed the store. */
  gone: 2,
  /** Hashes of keys for which clients of the sender wait. */
  wanted: 3,
  /** Hashes of wanted keys that the sender has changed. */
  changed: 4,
  /** A message of publish and subscribe. */
  published: 5,
  /** The classes of keyspace events that a client has set. */
  events: 6,
  /** Identities whose open connections are to end. */
  ended: 7,
  /** What the sender has counted for the limits in the last second. */
  counted: 8,
  /** How many connections and subscriptions accounts have at the sender. */
  levels: 9,
  /** Hashes of keys that a long command has read: writers of them wait for it. */
  held: 10,
} as const

export type Topic = (typeof topic)[keyof typeof topic]

/** Called with a message of another gateway, and the name of that gateway. */
type Told = (body: Bytes, sender: string) => void

export interface Exchange {
  /** Of this gateway: no other process ever has the same. */
  readonly name: string
  /** Whether the gateway of that name uses the store now. */
  isThere(name: string): boolean
  /** Whether another gateway uses the store now. */
  readonly hasPeers: boolean
  /**
   * Sends to all other gateways, after everything that was sent before. `heard` is called when it
   * has reached those that listen.
   */
  send(what: Topic, body: Bytes, heard?: () => void): void
  /** One receiver for each topic. */
  receive(what: Topic, told: Told): void
  /** All receivers are there: the others are to tell this one what they have told before. */
  join(): void
  /** Calls `tell` when another gateway appears or asks what it has missed. */
  whenJoined(tell: () => void): void
  /** Calls `tell` when another gateway is no longer there. */
  whenLeft(tell: (name: string) => void): void
  /** Calls `tell` when messages may have been lost: everything is to be looked up again. */
  whenLost(tell: () => void): void
}

export interface Frame {
  readonly what: number
  readonly body: Bytes
}

const frameHeadBytes = 5

export function frameBytes({ body }: Frame): number {
  return frameHeadBytes + body.length
}

export function encodeFrames(frames: readonly Frame[]): Bytes {
  return concatBytes(
    ...frames.flatMap(({ what, body }) => {
      const head = new Uint8Array(frameHeadBytes)
      head[0] = what
      new DataView(head.buffer).setUint32(1, body.length)
      return [head, body]
    }),
  )
}

/** Frames as far as they are whole. */
export function* decodeFrames(bytes: Bytes): Generator<Frame> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at + frameHeadBytes <= bytes.length; ) {
    const end = at + frameHeadBytes + view.getUint32(at + 1)
    if (end > bytes.length) return
    yield { what: bytes[at] ?? 0, body: bytes.subarray(at + frameHeadBytes, end) }
    at = end
  }
}
