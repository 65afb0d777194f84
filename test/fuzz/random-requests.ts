// Random streams of key-value requests: arrays, inline lines and blanks as clients send them, and
// the same with bytes changed. Only harmless commands, so that a real server can be asked too.

import { latin1, request } from '../protocol/resp/requests.js'

const names = ['PING', 'ECHO', 'echo', 'PiNg', 'FOO', 'nosuch'] as const

/** Lines made of what the grammar of inline commands turns on. */
const inlineBytes = '    ""\'\'\\\\xnrtb\t\v\f\raF10$*\xe9'

/** Headers that are odd, wrong or right. */
const headers = ['*0', '*-1', '*-7', '*', '*a', '*01', '*1', '*2', '$', '$3', '$-1', '$x', ':1', '']

export class RandomRequests {
  constructor(private readonly random: () => number) {}

  /** A number from 0 up to `bound`. */
  below(bound: number): number {
    return Math.floor(this.random() * bound)
  }

  /** One to twelve requests; half of the streams are faulty. */
  stream(): Buffer {
    const parts = Array.from({ length: 1 + this.below(12) }, () => this.part())
    let stream: Buffer = Buffer.concat(parts)
    if (this.random() < 0.5) return stream
    for (let changes = 1 + this.below(3); changes > 0; changes--) stream = this.changed(stream)
    return stream
  }

  /** The stream in pieces, some of them empty. */
  cut(stream: Buffer): Buffer[] {
    const cuts = Array.from({ length: this.below(8) }, () => this.below(stream.length + 1))
    cuts.sort((a, b) => a - b)
    return [...cuts, stream.length].map((end, index) => stream.subarray(cuts[index - 1] ?? 0, end))
  }

  private part(): Buffer {
    const choice = this.below(10)
    if (choice < 5) return this.array()
    if (choice < 8)
      return latin1(`${this.pick(names)} ${this.inline()}${this.pick(['\r\n', '\n'])}`)
    if (choice < 9) return latin1(this.pick(['\r\n', '\n', ' \r\n', '*0\r\n', '*-1\r\n']))
    return this.random() < 0.3 ? latin1(`${this.pick(headers)}\r\n`) : this.array()
  }

  private array(): Buffer {
    const words = Array.from({ length: this.pick([0, 1, 1, 1, 2, 8, 9, 12]) }, () => this.word())
    return request(this.pick(names), ...words)
  }

  private word(): Uint8Array {
    const length = this.pick([0, 1, 3, 10, 64, 100, this.random() < 0.05 ? 20_000 : 200])
    return Uint8Array.from({ length }, () => this.below(256))
  }

  /** Words and blanks, with quotes that mostly close as they should. */
  private inline(): string {
    if (this.random() < 0.05) return this.letters(14)
    const word = () => {
      const letters = this.letters(6)
      const mark = this.pick(['"', "'", ''])
      const inner = letters.replace(mark === '' ? /["']/g : mark, '').replace(/\\$/, '')
      return `${mark}${inner}${mark}${this.pick([' ', '  ', '\t', '\v ', ' \r'])}`
    }
    return Array.from({ length: this.below(4) }, word).join('')
  }

  private letters(bound: number): string {
    return Array.from({ length: this.below(bound) }, () => this.pick([...inlineBytes])).join('')
  }

  /** One byte replaced, removed or put in, mostly by one that means something. */
  private changed(stream: Buffer): Buffer {
    const at = this.below(stream.length)
    const byte =
      this.random() < 0.7 ? this.pick([...latin1('*$\r\n0123456789-" \0')]) : this.below(256)
    const kept = this.pick([0, 1, 1])
    const added = kept === 0 && this.random() < 0.5 ? [] : [byte]
    return Buffer.concat([stream.subarray(0, at), Buffer.from(added), stream.subarray(at + kept)])
  }

  private pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)]
    if (picked === undefined) throw new Error('nothing to pick from')
    return picked
  }
}
