// Messages of publish and subscribe from one gateway to the others. Each goes to all of them, as
// in a Redis Cluster, in the order of its publisher, and at most once. The receiving gateway checks
// the rights of its own subscribers. (docs/design/many-gateways.md, "Messages between gateways")

import { type Bytes, concatBytes, textOf, utf8 } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { exchangeBytesMax } from '../../../base/limits/store.js'
import type { Space, SpaceTable } from '../../../engine/keyspace/spaces.js'
import type { Access } from '../../../engine/types.js'
import { type Exchange, topic } from '../../../store/exchange.js'
import type { Program, ReadTx, Store } from '../../../store/store.js'
import type { Channels, EventOf } from './channels.js'
import type { Notifications } from './notifications.js'

interface RemoteOptions {
  readonly exchange: Exchange
  readonly store: Store
  readonly spaces: SpaceTable
  readonly channels: Channels
  readonly notifications: Notifications
}

/** Index of a database, and lengths of the names of space and channel. */
const headBytes = 9
/** In place of an index, for a message that is no event of a key. */
const noDatabase = 0xff

export class RemoteChannels {
  /** Messages are delivered in order. */
  private taking: Promise<void> = Promise.resolve()
  private takingBytes = 0

  constructor(private readonly options: RemoteOptions) {
    const { exchange, channels, notifications } = options
    channels.elsewhere = this
    exchange.receive(topic.published, (body) => this.receive(body))
    exchange.receive(topic.events, (body) => {
      notifications.apply(textOf(body))
    })
    const tellClasses = (): void => {
      const { chosen } = notifications
      if (chosen !== undefined) exchange.send(topic.events, utf8(chosen))
    }
    notifications.onChosen = tellClasses
    exchange.whenJoined(tellClasses)
  }

  /** Whether another gateway may have subscribers. */
  get isHeard(): boolean {
    return this.options.exchange.hasPeers
  }

  send({ database }: Space, channel: Slice, payload: Slice, of: EventOf | undefined): void {
    if (!this.isHeard) return
    const [space, name, content] = [utf8(database), channel.copy(), payload.copy()]
    const head = new Uint8Array(headBytes)
    head[0] = of?.index ?? noDatabase
    const view = new DataView(head.buffer)
    view.setUint32(1, space.length)
    view.setUint32(5, name.length)
    const body = concatBytes(head, space, name, content)
    this.options.exchange.send(topic.published, body)
  }

  private receive(body: Bytes): void {
    const { spaces, channels } = this.options
    const view = new DataView(body.buffer, body.byteOffset, body.length)
    const channelAt = headBytes + view.getUint32(1)
    const payloadAt = channelAt + view.getUint32(5)
    const space = spaces.known(textOf(body, headBytes, channelAt))
    if (space === undefined || !channels.isHeardIn(space)) return
    if (this.takingBytes + body.length > exchangeBytesMax) return
    this.takingBytes += body.length
    const index = body[0] ?? noDatabase
    const channel = Slice.of(body.subarray(channelAt, payloadAt))
    const payload = Slice.of(body.subarray(payloadAt))
    this.taking = this.taking
      .then(async () => {
        const of = index === noDatabase ? undefined : await this.eventOf(space, index)
        await channels.publishHere(space, channel, payload, of)
      })
      // A message that cannot be checked is lost, as one to a client that is not there.
      .catch(() => undefined)
      .finally(() => {
        this.takingBytes -= body.length
      })
  }

  private async eventOf(space: Space, index: number): Promise<EventOf> {
    const access = await this.options.store.read((tx) => accessOf(tx, space, index))
    return { index, access }
  }
}

function* accessOf(tx: ReadTx, space: Space, index: number): Program<Access> {
  const found = yield* space.place(index).find(tx)
  return found?.access ?? space.access
}
