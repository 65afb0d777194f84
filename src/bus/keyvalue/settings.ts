// What CONFIG GET shows and CONFIG SET changes until the process ends: names of Redis and their
// values as text. The few settings with an effect have a field beside their text.

import {
  subscriberBacklogBytesMax,
  subscriberBacklogMs,
  subscriberOutputBytesMax,
} from '../../base/limits.js'

/** What may be unsent to one client (client-output-buffer-limit); 0 is no bound. */
export interface OutputBounds {
  readonly bytesMax: number
  /** More than this for so long is too much too. */
  readonly backlogBytesMax: number
  readonly backlogMs: number
}

export const subscriberBounds: OutputBounds = {
  bytesMax: subscriberOutputBytesMax,
  backlogBytesMax: subscriberBacklogBytesMax,
  backlogMs: subscriberBacklogMs,
}

const noBounds: OutputBounds = { bytesMax: 0, backlogBytesMax: 0, backlogMs: 0 }

/** Names and what they are at the start. */
export type SettingTexts = Readonly<Record<string, string>>

export class KeyValueSettings {
  private readonly texts: Map<string, string>
  /** Whether keyspace events are made at all (notify-keyspace-events). */
  notifies = false
  /** Among them `new` and `keymiss`. */
  notifiesRare = false
  /** Of clients that have subscribed to something, and of all others. */
  outputBounds = { pubsub: subscriberBounds, normal: noBounds }

  constructor(initial: SettingTexts) {
    this.texts = new Map(Object.entries(initial))
  }

  get(name: string): string | undefined {
    return this.texts.get(name)
  }

  /** Keeps a text; what it means is the caller's to apply. */
  set(name: string, text: string): void {
    this.texts.set(name, text)
  }

  names(): Iterable<string> {
    return this.texts.keys()
  }
}
