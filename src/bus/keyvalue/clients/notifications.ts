// Keyspace events as messages: what a committed program did to a key, on the two channels of each
// event, for the classes in notify-keyspace-events. Only readers of the database receive them.
// (Redis, Keyspace notifications; docs/rights.md, "Spaces")

import { concatBytes, utf8 } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { keyspaceIndex } from '../../../engine/collection/catalog/homes.js'
import type { DocumentEvent } from '../../../engine/keyspace/keys/document-events.js'
import type { SpaceTable } from '../../../engine/keyspace/spaces.js'
import type { KeyEvent } from '../../../engine/keyspace/work.js'
import type { ObservedStore } from '../../../engine/observed-store.js'
import type { KeyValueSettings } from '../settings.js'
import type { Channels } from './channels.js'

const setting = 'notify-keyspace-events'
/** The classes that `A` stands for, in the order in which Redis prints them. */
const allClasses = 'g$lshzxetd'
const known = new Set(`A${allClasses}KEmn`)

/** The error of CONFIG SET for an unknown letter. */
export const badEventClass = "Invalid event class character. Use 'Ag$lshzxeKEtmdn'."

/** Only the server may publish on these channels. */
export const eventChannel = /^__key(?:space|event)@/

/** Announces the events of keys that document commands and SQL write. */
export function documentEvents(
  { settings, announce }: Announcing,
  spaces: SpaceTable,
): NonNullable<ObservedStore['events']> {
  return {
    isOn: () => settings.notifies,
    tell: (told) => announce(keyEventsOf(told as readonly DocumentEvent[], spaces)),
  }
}

interface Announcing {
  readonly settings: KeyValueSettings
  announce(events: readonly KeyEvent[]): void
}

function keyEventsOf(events: readonly DocumentEvent[], spaces: SpaceTable): KeyEvent[] {
  return events.flatMap((told) => {
    const index = keyspaceIndex(told.collection)
    return index === undefined ? [] : [{ ...told, place: spaces.of(told.db).place(index) }]
  })
}

export class Notifications {
  private classes: ReadonlySet<string> = new Set()
  private bySpace = false
  private byEvent = false
  /** What a client has chosen here or at another gateway; undefined before the first. */
  chosen: string | undefined
  /** Called when a client of this gateway has chosen. */
  onChosen: (() => void) | undefined

  constructor(
    private readonly channels: Channels,
    private readonly settings: KeyValueSettings,
  ) {}

  /** Applies the letters of CONFIG SET; false if one is unknown. */
  configure(letters: string): boolean {
    const isKnown = this.apply(letters)
    if (isKnown) this.onChosen?.()
    return isKnown
  }

  /** As configure, of what a client of another gateway has set. */
  apply(letters: string): boolean {
    for (const letter of letters) if (!known.has(letter)) return false
    const classes = new Set(letters.replaceAll('A', allClasses))
    const { settings } = this
    this.bySpace = classes.delete('K')
    this.byEvent = classes.delete('E')
    this.classes = classes
    settings.notifies = (this.bySpace || this.byEvent) && classes.size > 0
    settings.notifiesRare = settings.notifies && (classes.has('n') || classes.has('m'))
    settings.set(setting, this.text())
    this.chosen = letters
    return true
  }

  /** Publishes the events of a committed program. */
  readonly announce = (events: readonly KeyEvent[]): void => {
    const { channels } = this
    if (channels.isSilent) return
    for (const event of events) if (this.classes.has(event.eventClass)) this.tell(event)
  }

  private tell({ event, place, key, access }: KeyEvent): void {
    const { channels } = this
    const { space, index: database } = place
    const of = { index: database, access }
    const name = utf8(event)
    if (this.bySpace) {
      const channel = Slice.of(concatBytes(utf8(`__keyspace@${database}__:`), key))
      channels.publish(space, channel, Slice.of(name), of)
    }
    if (this.byEvent) {
      const channel = Slice.ofText(`__keyevent@${database}__:${event}`)
      channels.publish(space, channel, Slice.of(key), of)
    }
  }

  /** The classes as Redis prints them; Redis omits `n` beside `A`. */
  private text(): string {
    const { classes } = this
    const listed = [...allClasses].filter((letter) => classes.has(letter)).join('')
    const all = listed === allClasses ? 'A' : `${listed}${classes.has('n') ? 'n' : ''}`
    const ways = `${this.bySpace ? 'K' : ''}${this.byEvent ? 'E' : ''}`
    return `${all}${ways}${classes.has('m') ? 'm' : ''}`
  }
}
