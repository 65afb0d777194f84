// The messages of channels that the page keeps: the newest, and not more in a second than a reader
// can follow. What is left out is counted, so that a partial list never looks whole.

import type { Word } from './key-change.js'

export interface Message {
  readonly channel: Word
  readonly message: Word
  /** Of a subscription by pattern. */
  readonly pattern?: Word
}

export interface KeptMessage extends Message {
  readonly number: number
  /** Milliseconds since 1970. */
  readonly at: number
}

const keptMax = 200
const secondMax = 50

export class MessageList {
  /** Newest first. */
  kept: readonly KeptMessage[] = []
  total = 0
  /** Beyond what is shown of a second. */
  dropped = 0
  private second = 0
  private inSecond = 0

  /** Takes a message that came at `at`, milliseconds since 1970. */
  add(message: Message, at: number): void {
    this.total++
    const second = Math.floor(at / 1_000)
    if (second !== this.second) {
      this.second = second
      this.inSecond = 0
    }
    this.inSecond++
    if (this.inSecond > secondMax) this.dropped++
    else this.kept = [{ ...message, number: this.total, at }, ...this.kept].slice(0, keptMax)
  }

  clear(): void {
    this.kept = []
    this.total = 0
    this.dropped = 0
  }

  /** What the list does not show; empty if it shows all. */
  get missing(): string {
    const older = this.total - this.dropped - this.kept.length
    const parts = [
      ...(this.dropped > 0
        ? [`${this.dropped} left out, as more than ${secondMax} came in a second`]
        : []),
      ...(older > 0 ? [`${older} older`] : []),
    ]
    return parts.length === 0 ? '' : `Not shown: ${parts.join('; ')}.`
  }
}

/** Names with `*`, `?` or `[` are patterns. */
export function watchPath(text: string): string | undefined {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.length === 0) return undefined
  const isPattern = (name: string) => /[*?[]/.test(name)
  const query = new URLSearchParams()
  const channels = names.filter((name) => !isPattern(name))
  const patterns = names.filter(isPattern)
  if (channels.length > 0) query.set('channels', channels.join(','))
  if (patterns.length > 0) query.set('patterns', patterns.join(','))
  return `/api/v1/redis/stream?${query}`
}
