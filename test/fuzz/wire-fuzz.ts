// The fuzzer of the document wire: random messages against a gateway in this process. Each case
// must be answered or closed, no answer may be an internal error, and nothing may grow.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { anonymousMessageBytesMax, messageBytesMax } from '../../src/base/limits/documents.js'
import { documentRows } from '../../src/commands/rows.js'
import { opcode, readHeader } from '../../src/protocol/wire/header.js'
import { inflateMessage } from '../../src/protocol/wire/op-compressed.js'
import { field } from '../../src/value/elements.js'
import { documentToJson } from '../../src/value/json/json.js'
import { numberOf } from '../../src/value/numbers.js'
import { openFixedGateway } from '../support/gateway.js'
import { command } from '../support/messages.js'
import { replyDocument, WireClient } from '../support/wire-client.js'
import { RandomCommands } from './random-commands.js'
import { framing, RandomMessages } from './random-messages.js'
import { RandomValues } from './random-values.js'

interface FuzzOptions {
  readonly seed: number
  readonly cases: number
  /** Every connection is the operator's: commands reach the engine. */
  readonly signedIn: boolean
}

interface FuzzReport {
  readonly answered: number
  readonly closed: number
  /** Reply codes and how often each came; 0 for a success. */
  readonly codes: ReadonlyMap<number, number>
  /** Heap after the warm-up and at the end, bytes. */
  readonly heapBefore: number
  readonly heapAfter: number
}

/** A case that is neither answered nor closed by then hangs. */
const hangMs = 30_000
const sentinelId = 0x7ffffff0
/**
 * Collections that grow are dropped every so many cases: growth is the gateway's, not the data's.
 */
const cleaningCases = 1_000

/** Throws an error that names seed and case, with the bytes that were sent. */
export async function fuzzWire(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, signedIn } = options
  const settings = signedIn ? { AUTH_MODE: 'off', LOG_LEVEL: 'silent' } : {}
  const gateway = await openFixedGateway({ seed, nowMs: Date.UTC(2026, 0, 1), settings })
  try {
    return await new Fuzz(gateway.ports.wire, options).run()
  } finally {
    await gateway.close()
  }
}

class Fuzz {
  private readonly messages: RandomMessages
  private readonly values: RandomValues
  private readonly codes = new Map<number, number>()
  private client: WireClient | undefined
  private answered = 0
  private closed = 0

  constructor(
    private readonly port: number,
    private readonly options: FuzzOptions,
  ) {
    this.values = new RandomValues(options.seed)
    this.messages = new RandomMessages(this.values, new RandomCommands(documentRows, this.values))
  }

  async run(): Promise<FuzzReport> {
    const { cases } = this.options
    const warmUp = Math.floor(cases / 5)
    let heapBefore = 0
    for (let index = 0; index < cases; index++) {
      if (index % cleaningCases === 0) await this.clean()
      if (index === warmUp) heapBefore = heapBytes()
      await this.try(index)
    }
    await this.clean()
    const heapAfter = heapBytes()
    await this.client?.close()
    const { answered, closed, codes } = this
    return { answered, closed, codes, heapBefore, heapAfter }
  }

  private async try(index: number): Promise<void> {
    const bytes = this.messages.next(1 + (index & 0xffffff))
    const client = await this.connected()
    const lengthMax = this.options.signedIn ? messageBytesMax : anonymousMessageBytesMax
    const outcome = framing(bytes, lengthMax)
    this.sendSplit(client, bytes)
    // Behind a message that is not over, a sentinel would be part of it: then the client leaves.
    if (outcome === 'partial') client.socket.end()
    else client.send(command({ ping: 1, $db: 'admin' }, { requestId: sentinelId }))
    let hung = false
    const hang = setTimeout(() => {
      hung = true
      client.socket.destroy()
    }, hangMs)
    try {
      await this.drain(client, index, bytes)
    } finally {
      clearTimeout(hang)
    }
    if (hung) throw this.failure(index, bytes, 'neither answered nor closed')
  }

  /** Reads replies up to the sentinel's, or to the end. */
  private async drain(client: WireClient, index: number, bytes: Uint8Array): Promise<void> {
    for (;;) {
      const frame = await client.next()
      if (frame === undefined) {
        this.client = undefined
        this.closed++
        return
      }
      if (readHeader(frame).responseTo === sentinelId) {
        this.answered++
        return
      }
      const isPacked = readHeader(frame).opcode === opcode.compressed
      this.note(isPacked ? await inflateMessage(frame) : frame, index, bytes)
    }
  }

  private note(frame: Uint8Array, index: number, bytes: Uint8Array): void {
    const reply = replyDocument(frame)
    const okField = field(reply, 'ok')
    const codeField = field(reply, 'code')
    const isOk = okField !== undefined && numberOf(okField) === 1
    const code = isOk ? 0 : codeField === undefined ? Number.NaN : numberOf(codeField)
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1)
    if (code === 1 || Number.isNaN(code)) {
      throw this.failure(index, bytes, `bad reply ${documentToJson(reply, 'relaxed')}`)
    }
  }

  /** In one to three pieces: TCP cuts anywhere. */
  private sendSplit(client: WireClient, bytes: Uint8Array): void {
    let at = 0
    for (let pieces = this.values.whole(3); pieces > 0; pieces--) {
      const next = at + this.values.whole(bytes.length - at + 1)
      if (next > at) client.send(bytes.subarray(at, next))
      at = next
    }
    if (at < bytes.length) client.send(bytes.subarray(at))
  }

  private async connected(): Promise<WireClient> {
    if (this.client === undefined || this.client.socket.destroyed) {
      this.client = await WireClient.open(this.port)
      if (this.options.signedIn) {
        await this.client.run({ hello: 1, compression: ['zlib'], $db: 'admin' })
      }
    }
    return this.client
  }

  private async clean(): Promise<void> {
    if (!this.options.signedIn) return
    const client = await WireClient.open(this.port)
    for (const $db of ['test', 'other', 'bad']) await client.run({ dropDatabase: 1, $db })
    await client.close()
  }

  private failure(index: number, bytes: Uint8Array, what: string): Error {
    const { seed, signedIn } = this.options
    const hex = Buffer.from(bytes).toString('hex')
    return new Error(`seed ${seed}, signedIn ${signedIn}, case ${index}: ${what}\n${hex}`)
  }
}

/** Heap in use after a full collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
