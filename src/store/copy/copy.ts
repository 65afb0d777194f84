// Copies all pairs of a store into an empty one of another kind, then compares both. A copy that
// was killed continues behind the last key that it had stored.

import { type Bytes, bufferOf, compareBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { firstKey } from '../tables/tables-walk.js'
import { bytesOf, type CopySource, type CopyTarget, type Pair, partBytes } from './ends.js'

/** Called with the pairs so far of each of the two phases. */
type CopyProgress = (phase: 'copied' | 'compared', pairs: number) => void

interface Copied {
  readonly pairs: number
  readonly bytes: number
}

/** Rejects with OperationFailed if the two ends differ after the copy. */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  progress: CopyProgress,
): Promise<Copied> {
  await copyPairs(source, target, progress)
  const copied = await compare(source, target, progress)
  await target.finish(source.highest)
  return copied
}

async function copyPairs(
  source: CopySource,
  target: CopyTarget,
  progress: CopyProgress,
): Promise<void> {
  let part: Pair[] = []
  let bytes = 0
  let pairs = 0
  let after = target.last ?? firstKey
  for (;;) {
    const page = await source.page(after)
    for (const pair of page) bytes += bytesOf(pair)
    part.push(...page)
    if (bytes >= partBytes || page.length === 0) {
      if (part.length > 0) await target.put(part)
      pairs += part.length
      progress('copied', pairs)
      part = []
      bytes = 0
    }
    const last = page.at(-1)
    if (last === undefined) return
    after = last.key
  }
}

/** Reads both from the start: also what an earlier run has copied. */
async function compare(
  source: CopySource,
  target: CopyTarget,
  progress: CopyProgress,
): Promise<Copied> {
  let pairs = 0
  let bytes = 0
  let after = firstKey
  for (;;) {
    const [wanted, found] = await Promise.all([source.page(after), target.page(after)])
    const most = Math.max(wanted.length, found.length)
    for (let i = 0; i < most; i++) {
      const [one, other] = [wanted[i], found[i]]
      if (one === undefined || other === undefined || !areSame(one, other)) {
        throw different(one ?? other)
      }
      bytes += bytesOf(one)
    }
    pairs += wanted.length
    progress('compared', pairs)
    const last = wanted.at(-1)
    if (last === undefined) return { pairs, bytes }
    after = last.key
  }
}

function areSame(one: Pair, other: Pair): boolean {
  if (one.version !== other.version || compareBytes(one.key, other.key) !== 0) return false
  return bufferOf(one.value).equals(bufferOf(other.value))
}

/** Key bytes shown in a message. */
const shownKeyBytes = 64

function different(pair: Pair | undefined): Error {
  const key: Bytes = pair?.key.subarray(0, shownKeyBytes) ?? new Uint8Array(0)
  const shown = bufferOf(key).toString('hex')
  return fail(
    'OperationFailed',
    `the copy differs from its source at key ${shown}: the source changed meanwhile, or the ` +
      'target was changed. Remove the target and copy again',
  )
}
