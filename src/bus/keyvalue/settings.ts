// The settings that CONFIG GET shows and CONFIG SET changes until the process ends: names of Redis
// with values as text. The few settings with an effect also have a field.

import {
  subscriberBacklogBytesMax,
  subscriberBacklogMs,
  subscriberOutputBytesMax,
} from '../../base/limits/key-value.js'

/** Unsent bytes allowed for one client (client-output-buffer-limit); 0 means no bound. */
export interface OutputBounds {
  readonly bytesMax: number
  /** The bound for a backlog that lasts for `backlogMs`. */
  readonly backlogBytesMax: number
  readonly backlogMs: number
}

export const subscriberBounds: OutputBounds = {
  bytesMax: subscriberOutputBytesMax,
  backlogBytesMax: subscriberBacklogBytesMax,
  backlogMs: subscriberBacklogMs,
}

const noBounds: OutputBounds = { bytesMax: 0, backlogBytesMax: 0, backlogMs: 0 }

/** Names with their initial values. */
export type SettingTexts = Readonly<Record<string, string>>

export class KeyValueSettings {
  private readonly texts: Map<string, string>
  /** Whether keyspace events are enabled (notify-keyspace-events). */
  notifies = false
  /** Whether these include `new` and `keymiss`. */
  notifiesRare = false
  /** The bounds of subscribers and of all other clients. */
  outputBounds = { pubsub: subscriberBounds, normal: noBounds }

  constructor(initial: SettingTexts) {
    this.texts = new Map(Object.entries(initial))
  }

  get(name: string): string | undefined {
    return this.texts.get(name)
  }

  /** Stores a text; the caller applies its meaning. */
  set(name: string, text: string): void {
    this.texts.set(name, text)
  }

  names(): Iterable<string> {
    return this.texts.keys()
  }
}
