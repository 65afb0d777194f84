// The keys of WATCH with their versions. The store gives each put a new version and never repeats
// one. A missing or expired key has version 0. If it was created and removed meanwhile, the
// observed puts of its name show that.

import { mapKey } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { watchedKeysMax } from '../../../base/limits/key-value.js'
import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Watches } from '../../../bus/keyvalue/clients/session.js'
import type { OpenPlaces } from '../../../bus/keyvalue/programs/open-places.js'
import { WatchedKeyChanged } from '../../../bus/keyvalue/programs/transactions.js'
import { recordKeyOf } from '../../../engine/keyspace/keys/key-name.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import { whenRun, writerOf } from '../../../engine/observed-store.js'
import type { Program } from '../../../store/store.js'

interface Watched {
  readonly place: Place
  readonly name: Slice
  readonly version: number
  /** The collection of the database at the time of WATCH. */
  readonly namespace: number
  /**
   * Collections with puts of that name since WATCH. A flush gives the database another collection.
   */
  readonly put: ReadonlySet<number>
  /** Stops observing. */
  readonly end: () => void
}

class WatchedKeys implements Watches {
  /** By place and name; the first WATCH of a key counts. */
  readonly keys = new Map<Place, Map<string, Watched>>()

  /** The current EXEC. A put of its own failed run must not count as a change in the next run. */
  writer: object | undefined
  /** Puts that the first run of EXEC saw; a further run must use the same. */
  private found: Map<Watched, ReadonlySet<number>> | undefined

  end(): void {
    for (const { end } of this.all()) end()
    this.keys.clear()
    this.found = undefined
  }

  get size(): number {
    let size = 0
    for (const ofPlace of this.keys.values()) size += ofPlace.size
    return size
  }

  private all(): Watched[] {
    return [...this.keys.values()].flatMap((ofPlace) => [...ofPlace.values()])
  }

  *isTouched(places: OpenPlaces): Program<boolean> {
    const { tx } = places
    const watched = this.all()
    this.writer = writerOf(tx)
    // An optimistic run may differ from the one before.
    if (places.areOptimistic) this.found = undefined
    else this.found ??= new Map(watched.map((each) => [each, new Set(each.put)]))
    for (const each of watched) {
      const { place, name, version, namespace, put } = each
      const ks = places.known(place) ?? (yield* places.open(place))
      if ((yield* versionOf(ks, name)) !== version) return true
      if (version !== 0) continue
      const isPut = (into: ReadonlySet<number>) => into.has(namespace) || into.has(ks.ns.id)
      if (isPut(this.found?.get(each) ?? put)) return true
      // Checks puts since the first run, perhaps between two runs, of keys that may be gone again.
      whenRun(tx, () => {
        if (isPut(put)) throw new WatchedKeyChanged()
      })
    }
    return false
  }
}

/** Adds the keys of a command to those that its connection watches. */
export function* watch(ks: Keyspace, call: KeyValueCall): Program<void> {
  const { session, count, args } = call
  const watched = session.watches instanceof WatchedKeys ? session.watches : new WatchedKeys()
  if (watched.size + count - 1 > watchedKeysMax) {
    throw refuse(`ERR a connection watches at most ${watchedKeysMax} keys`)
  }
  session.watches = watched
  const { place } = ks
  const inPlace = watched.keys.get(place) ?? new Map<string, Watched>()
  watched.keys.set(place, inPlace)
  for (let i = 1; i < count; i++) {
    const name = Slice.of(args.copy(i))
    const known = mapKey(name.bytes)
    if (inPlace.has(known)) continue
    const record = recordKeyOf(ks.ns, name)
    const put = new Set<number>()
    // Observes before reading, so that no change in between is missed.
    const { store } = call.services
    const endPuts = store.observePuts(record, (id, writer) => {
      if (writer !== watched.writer) put.add(id)
    })
    // The database of a home may be removed and created again, under an unknown id.
    const endPlace = place.space.isMain
      ? undefined
      : store.observe(place.key, () => put.add(ks.ns.id))
    const end = () => {
      endPuts()
      endPlace?.()
    }
    const key = { place, name, namespace: ks.ns.id, put, end }
    try {
      const version = yield* versionOf(ks, name)
      inPlace.set(known, { ...key, version })
      if (version !== 0) end()
    } catch (error) {
      end()
      throw error
    }
  }
  if (session.closed) watched.end()
}

function* versionOf(ks: Keyspace, name: Slice): Program<number> {
  const key = yield* ks.key(name)
  if (!key.exists) return 0
  const { tx } = ks
  return (yield* tx.getVersioned(key.record))?.version ?? 0
}
