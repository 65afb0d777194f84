// Question: which share of a write group is the checksum of its log record, and which share of a
// scan of the tables are the checksums of its records? Processor time of the loop for both, beside
// that of the checksums alone over as many bytes.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import { crc32c } from '../../src/base/bytes/crc32c.js'
import { assert } from '../../src/base/errors.js'
import { scanEntriesMax } from '../../src/base/limits/engine.js'
import { changeBytes } from '../../src/store/log/change.js'
import { recordHeaderBytes } from '../../src/store/log/log-record.js'
import type { Store } from '../../src/store/store.js'
import { frameBytes } from '../../src/store/tables/record-frame.js'
import {
  benchValue,
  fillStore,
  keyOf,
  openBenchStore,
  settled,
  spreadKey,
} from '../support/bench-store.js'
import { compare, type Figure } from '../support/figure.js'
import { processorTime } from '../support/thread-time.js'

interface Case {
  /** Programs of a group, and bytes of the value that each puts. */
  readonly programs: number
  readonly bytes: number
  readonly groups: number
}

/** A pipeline of SETs, single documents, and an insertMany. */
const cases: readonly Case[] = [
  { programs: 1, bytes: 1_000, groups: 4_000 },
  { programs: 64, bytes: 150, groups: 400 },
  { programs: 100, bytes: 1_000, groups: 100 },
]
const keys = 100_000
const scanned = 50_000
const scannedBytes = 200
/** In the caches of the processor, as what was just written or read is. */
const areaBytes = 262_144

export async function storeRecordChecksums(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-record-checksums-'))
  const store = openBenchStore(join(folder, 'store'))
  const area = new Uint8Array(areaBytes).fill(0x5a)
  try {
    const figures: Figure[] = []
    for (const one of cases) figures.push(await ofGroups(store, area, one))
    await settled(store)
    await fillStore(store, scanned, scannedKey, scannedBytes)
    await settled(store)
    return [...figures, await ofScan(store, area)]
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

async function ofGroups(store: Store, area: Bytes, { programs, bytes, groups }: Case) {
  const keyBytes = spreadKey(0).length
  const recordBytes = recordHeaderBytes + programs * changeBytes(keyBytes, bytes)
  const value = benchValue(7, bytes)
  let next = 0
  const whole = timed(groups, async () => {
    for (let group = 0; group < groups; group++) {
      const written: Promise<void>[] = []
      for (let i = 0; i < programs; i++) {
        const key = spreadKey(next++ % keys)
        written.push(
          store.write(function* (tx) {
            tx.put(key, value)
          }),
        )
      }
      await Promise.all(written)
    }
    return next
  })
  const sums = timed(groups, async () => {
    let sum = 0
    for (let group = 0, at = 0; group < groups; group++) {
      if (at + recordBytes > area.length) at = 0
      sum ^= crc32c(area, at + 8, at + recordBytes)
      at += recordBytes
    }
    return sum
  })
  const name = `checksum of a log record, ${programs} puts of ${bytes} bytes`
  return compare(name, 'us a group', sums, whole)
}

function ofScan(store: Store, area: Bytes): Promise<Figure> {
  const framed = frameBytes + scannedBytes
  const whole = timed(scanned, async () => {
    const end = Uint8Array.of((scannedKey(0)[0] as number) + 1)
    let start: Bytes = scannedKey(0).subarray(0, 6)
    for (;;) {
      const entries = await store.read(function* (tx) {
        return yield* tx.scan({ start, end }, scanEntriesMax)
      })
      const last = entries.at(-1)
      if (last === undefined) return scanned
      start = Uint8Array.of(...last.key, 0)
    }
  })
  const sums = timed(scanned, async () => {
    let sum = 0
    for (let i = 0, at = 0; i < scanned; i++) {
      if (at + framed > area.length) at = 0
      const before = crc32c(area, at, at + 8)
      sum ^= crc32c(area, at + frameBytes, at + framed, before)
      at += framed
    }
    return sum
  })
  return compare(
    `checksum of a record of ${scannedBytes} bytes in a scan`,
    'us a record',
    sums,
    whole,
  )
}

/** In order behind the keys of the groups. */
function scannedKey(n: number): Bytes {
  const tail = Buffer.alloc(12)
  tail[0] = 0xff
  tail[1] = 0xff
  tail.writeUInt32BE(n, 8)
  return keyOf(tail)
}

/** Processor time of each of `times`, microseconds. */
function timed(times: number, body: () => Promise<number>): () => Promise<number> {
  return async () => {
    const before = processorTime()
    // A result that is looked at is not optimized away.
    assert(Number.isInteger(await body()), 'a count or a sum of checksums')
    return ((processorTime() - before) * 1_000) / times
  }
}
