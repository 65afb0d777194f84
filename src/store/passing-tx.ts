// A transaction that delegates its reads to another one. Subclasses that extend or observe a
// transaction implement only the difference.

import type { Bytes } from '../base/bytes/bytes.js'
import { readAheadIn } from './read-ahead.js'
import type {
  Count,
  Elsewhere,
  Entry,
  Fetched,
  KeyRange,
  Numbers,
  ReadTx,
  Step,
  Tx,
  Versioned,
} from './store.js'

export class PassingReadTx<Inner extends ReadTx = ReadTx> implements ReadTx {
  constructor(protected readonly inner: Inner) {}

  get(key: Bytes): Step<Bytes | undefined> {
    return this.inner.get(key)
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    return this.inner.getVersioned(key)
  }

  getMany(keys: readonly Bytes[], bytesMax?: number): Step<(Bytes | undefined)[]> {
    return this.inner.getMany(keys, bytesMax)
  }

  get readAhead(): ReadTx['readAhead'] {
    const { inner } = this
    if (inner.readAhead === undefined) return undefined
    return (keys, bytesMax) => readAheadIn(inner, keys, bytesMax)
  }

  getVersions(keys: readonly Bytes[]): Step<(number | undefined)[]> {
    return this.inner.getVersions(keys)
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    return this.inner.scan(range, limit)
  }

  scanFetch(range: KeyRange, limit: number): Step<Fetched[]> {
    return this.inner.scanFetch(range, limit)
  }

  count(key: Bytes): Step<Count> {
    return this.inner.count(key)
  }

  get reply(): ReadTx['reply'] {
    return this.inner.reply
  }

  get isMemoryShort(): boolean {
    return this.inner.isMemoryShort === true
  }

  get notesReads(): boolean {
    return this.inner.notesReads === true
  }

  pause(units?: number): Step<void> {
    return this.inner.pause(units)
  }

  elsewhere(work: Elsewhere): Step<void> {
    return this.inner.elsewhere(work)
  }

  get olderWrites(): Elsewhere | undefined {
    return this.inner.olderWrites
  }
}

export class PassingTx extends PassingReadTx<Tx> implements Tx {
  get numbers(): Numbers | undefined {
    return this.inner.numbers
  }

  get gateway(): string | undefined {
    return this.inner.gateway
  }

  scanOwn(range: KeyRange, limit: number): Step<Entry[]> {
    return this.inner.scanOwn(range, limit)
  }

  put(key: Bytes, value: Bytes): void {
    this.inner.put(key, value)
  }

  remove(key: Bytes): void {
    this.inner.remove(key)
  }

  add(key: Bytes, documents: number, bytes: number): void {
    this.inner.add(key, documents, bytes)
  }

  added(key: Bytes): Count {
    return this.inner.added(key)
  }

  append(value: Bytes): void {
    this.inner.append(value)
  }

  get announce(): ((event: object) => void) | undefined {
    return this.inner.announce
  }
}
