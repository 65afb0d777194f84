// The keys of WATCH with what they were: versions that the store gives to every put and never gives
// again. A key that is not there, or is due, counts as version 0; that it was there in between and
// is gone again shows in the puts of its name.

import { mapKey } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
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
  /** Of the collection that the database was then. */
  readonly namespace: number
  /**
   * Collections in which a key of that name has been put since; flushing changes the database's.
   */
  readonly put: ReadonlySet<number>
  /** Ends the observing. */
  readonly end: () => void
}

class WatchedKeys implements Watches {
  /** By where it is and its name: the first WATCH of a key counts. */
  readonly keys = new Map<Place, Map<string, Watched>>()

  /** EXEC itself: what a run of it put that came to nothing is no change to a further run. */
  writer: object | undefined
  /** Collections with puts, as the first run of EXEC has found them: a further run must too. */
  private found: Map<Watched, ReadonlySet<number>> | undefined

  end(): void {
    for (const { end } of this.all()) end()
    this.keys.clear()
    this.found = undefined
  }

  private all(): Watched[] {
    return [...this.keys.values()].flatMap((ofPlace) => [...ofPlace.values()])
  }

  *isTouched(places: OpenPlaces): Program<boolean> {
    const { tx } = places
    const watched = this.all()
    this.writer = writerOf(tx)
    // A prepared run need not be like the one before.
    if (places.areOptimistic) this.found = undefined
    else this.found ??= new Map(watched.map((each) => [each, new Set(each.put)]))
    for (const each of watched) {
      const { place, name, version, namespace, put } = each
      const ks = places.known(place) ?? (yield* places.open(place))
      if ((yield* versionOf(ks, name)) !== version) return true
      if (version !== 0) continue
      const isPut = (into: ReadonlySet<number>) => into.has(namespace) || into.has(ks.ns.id)
      if (isPut(this.found?.get(each) ?? put)) return true
      // Put since the first run, perhaps between two runs, and perhaps gone again.
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
    // Observed before it is looked up: nothing comes in between.
    const { store } = call.services
    const endPuts = store.observePuts(record, (id, writer) => {
      if (writer !== watched.writer) put.add(id)
    })
    // A database of a home may be made and removed again, under an id that cannot be foreseen.
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
