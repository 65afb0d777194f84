// A command as bytes, then spoilt: lengths, opcodes, flags, sections, the BSON inside, the ends of
// things. One spoiling in a case, sometimes two, so that most of the message is still understood.

import { deflateSync } from 'node:zlib'
import { opcode } from '../../src/protocol/wire/header.js'
import { documentFrom } from '../../src/value/literal.js'
import { command, opCompressed, opMsg, opQuery, sequenceSection } from '../support/messages.js'
import type { RandomCommands } from './random-commands.js'
import type { RandomValues } from './random-values.js'

type Fields = Record<string, unknown>
type Bytes = Uint8Array

const sequenceNames = ['documents', 'updates', 'deletes']
const lengths = [-1, 0, 1, 4, 5, 15, 16, 17, 20, 0x7fffffff, 48_000_000, 48_000_001, 0x01000000]

export class RandomMessages {
  constructor(
    private readonly values: RandomValues,
    private readonly commands: RandomCommands,
  ) {}

  /** Bytes to send in one go: a message, whole or spoilt. */
  next(requestId: number): Bytes {
    const { values } = this
    const fields = this.commands.next()
    let message = this.encode(fields, requestId)
    for (let spoilings = values.pick([0, 0, 0, 0, 1, 1, 1, 2]); spoilings > 0; spoilings--) {
      message = this.spoil(message)
    }
    return message
  }

  private encode(fields: Fields, requestId: number): Bytes {
    const { values } = this
    const flags = values.chance(0.05) ? 2 : 0
    switch (values.whole(10)) {
      case 0:
        return opQuery(
          'admin.$cmd',
          values.chance(0.5) ? { isMaster: 1, ...fields } : fields,
          requestId,
        )
      case 1:
        return command(fields, { requestId, checksum: true })
      case 2: {
        const message = command(fields, { requestId })
        return opCompressed(message, deflateSync(message.subarray(16)))
      }
      case 3:
      case 4:
      case 5:
        return this.withSequence(fields, requestId, flags)
      default:
        return command(fields, { requestId, flags })
    }
  }

  /** The first array of documents as a section of its own, where there is one. */
  private withSequence(fields: Fields, requestId: number, flags: number): Bytes {
    const name = sequenceNames.find((candidate) => Array.isArray(fields[candidate]))
    if (name === undefined) return command(fields, { requestId, flags })
    const { [name]: list, ...rest } = fields
    const documents = (list as unknown[]).map((item) =>
      documentFrom(typeof item === 'object' && item !== null ? (item as Fields) : { item }),
    )
    const body = Buffer.concat([Uint8Array.of(0), documentFrom(rest)])
    const sections = [body, sequenceSection(name, documents)]
    if (this.values.chance(0.3)) sections.reverse()
    return opMsg(sections, { requestId, flags })
  }

  private spoil(message: Bytes): Bytes {
    const { values } = this
    const bytes = Buffer.from(message)
    const at = values.whole(bytes.length)
    switch (values.whole(9)) {
      case 0:
        return bytes.subarray(0, at)
      case 1:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << values.whole(8))
        return bytes
      case 2:
        // A length word somewhere, most likely of a document or a section.
        if (bytes.length >= 20)
          bytes.writeInt32LE(values.pick(lengths), Math.min(at, bytes.length - 4))
        return bytes
      case 3:
        if (bytes.length >= 4) bytes.writeInt32LE(values.pick(lengths), 0)
        return bytes
      case 4:
        if (bytes.length >= 16) bytes.writeInt32LE(this.opcode(), 12)
        return bytes
      case 5:
        if (bytes.length >= 20) bytes.writeInt32LE(1 << values.whole(31), 16)
        return bytes
      case 6:
        return this.resized(
          Buffer.concat([bytes.subarray(0, at), values.bytes(values.whole(9)), bytes.subarray(at)]),
        )
      case 7:
        return this.resized(
          Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + values.whole(9))]),
        )
      default:
        return Buffer.concat([bytes, values.bytes(values.whole(16))])
    }
  }

  /** The message length made right again, so that the damage lies within. */
  private resized(bytes: Buffer): Bytes {
    if (bytes.length >= 16) bytes.writeInt32LE(bytes.length, 0)
    return bytes
  }

  private opcode(): number {
    const known = [opcode.message, opcode.query, opcode.compressed, opcode.reply]
    return this.values.chance(0.5) ? this.values.pick(known) : this.values.whole(3000)
  }
}

/**
 * What a server does with those bytes as a stream: how many messages it can cut, and whether they
 * end where the bytes end. `lost` when a length is out of bounds: the server closes there.
 */
export function framing(bytes: Bytes, lengthMax: number): 'whole' | 'partial' | 'lost' {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  while (at < view.length) {
    if (at + 4 > view.length) return 'partial'
    const length = view.readInt32LE(at)
    if (length < 16 || length > lengthMax) return 'lost'
    at += length
  }
  return at === view.length ? 'whole' : 'partial'
}
