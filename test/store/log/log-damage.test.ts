// Every byte of a small log cut, flipped bit by bit, or turned to zeros: the answer is always the
// one that the rules give, and nothing but what was written is ever served.

import t, { type Test } from 'tap'
import { cutLog } from '../../../src/store/log/log-reader.js'
import { segmentHeaderBytes } from '../../../src/store/log/log-record.js'
import { groupOf, logFolder, openLog, readGroups } from '../../support/log-room.js'
import {
  appliedChoices,
  judge,
  type SampleGroup,
  type SampleLog,
  sampleLog,
  type Verdict,
} from '../../support/log-sample.js'
import type { MemoryFiles } from '../../support/memory-files.js'
import { runs } from '../../support/runs.js'

const sample = await sampleLog()
const choices = appliedChoices(sample)

/** Compares without a line of output a case: there are tens of thousands. */
function difference(files: MemoryFiles, applied: number, verdict: Verdict): string | undefined {
  const { state, groups } = readGroups(files, applied)
  const { kind, lost, served } = verdict
  if ((state.damage !== undefined) !== (kind === 'damaged')) return `damage: ${state.damage?.text}`
  if (lost !== undefined && kind === 'damaged') {
    const named = `${state.damage?.group} at ${state.damage?.path}`
    if (named !== `${lost.group} at ${lost.path}`) return `names ${named}, lost is ${lost.group}`
    if (state.damage?.text.includes(`${lost.path}, offset `) !== true) return state.damage?.text
  }
  if (groups.size !== served.length) return `serves ${groups.size} of ${served.length} groups`
  for (const { group, changes } of served) {
    if (groups.get(group)?.equals(changes) !== true) return `group ${group} differs`
  }
  const last = served.at(-1)?.group ?? applied
  return state.lastGroup === last ? undefined : `ends at ${state.lastGroup} instead of ${last}`
}

/** The file made good for a new session, and read again. */
function differenceAfterCut(files: MemoryFiles, applied: number): string | undefined {
  const before = readGroups(files, applied)
  cutLog(files, logFolder, before.state)
  const log = openLog(files, {
    after: { group: before.state.lastGroup, highestGroup: before.state.highestGroup },
  })
  const group = log.append([groupOf({ key: 'new' })], 1)
  const { state, groups } = readGroups(files, applied)
  if (state.torn !== undefined || state.damage !== undefined) return 'is still bad after the cut'
  if (state.lastGroup !== group) return 'does not go on after the cut'
  if (groups.size !== before.groups.size + 1) return 'lost groups by the cut'
  return sample.groups.some((one) => one.group === group) ? 'gives a number again' : undefined
}

/** A case of damage: the bytes of one file are changed. */
interface Case {
  readonly name: string
  readonly path: string
  readonly bytes: Buffer
  readonly isLost: (group: SampleGroup) => boolean
  readonly isMark?: (group: SampleGroup) => boolean
  readonly isForeign?: boolean
}

function check(t: Test, sample: SampleLog, cases: Iterable<Case>): void {
  const wrong: string[] = []
  let count = 0
  let turns = 0
  const kinds = { whole: 0, torn: 0, damaged: 0 }
  for (const { name, path, bytes, isLost, isMark, isForeign } of cases) {
    // All of them for every case would take ten seconds.
    const tried = runs(1) > 1 ? choices : [0, choices[++turns % choices.length] ?? 0]
    for (const applied of tried) {
      const verdict = judge(sample, applied, isLost, isMark, isForeign)
      const files = sample.files.copy()
      files.setContent(path, bytes)
      const found =
        difference(files, applied, verdict) ??
        (verdict.kind === 'damaged' ? undefined : differenceAfterCut(files, applied))
      if (found !== undefined) wrong.push(`${name} of ${path}, applied ${applied}: ${found}`)
      kinds[verdict.kind]++
      count++
    }
  }
  t.same(wrong.slice(0, 10), [])
  t.ok(kinds.whole > 0 && kinds.torn > 0 && kinds.damaged > 0, 'all three happen')
  t.comment(`${count} cases`, kinds)
}

t.test('the sample is read as it was written', async (t) => {
  t.same(sample.groups.length, 12)
  t.ok(sample.groups.slice(-1).every(({ group, synced }) => synced === group - 2))
  for (const applied of choices) {
    t.equal(
      difference(
        sample.files,
        applied,
        judge(sample, applied, () => false),
      ),
      undefined,
    )
  }
})

function* truncations(): Generator<Case> {
  for (const path of sample.paths) {
    const whole = sample.files.contentOf(path)
    for (let length = 0; length < whole.length; length++) {
      yield {
        name: `first ${length} bytes`,
        path,
        bytes: whole.subarray(0, length),
        isLost: (group) => group.path === path && (group.end > length || length < 32),
      }
    }
  }
}

t.test('a file cut at any byte ends at the last whole group, or is damage', async (t) => {
  check(t, sample, truncations())
})

function* flips(): Generator<Case> {
  for (const path of sample.paths) {
    const whole = sample.files.contentOf(path)
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const at = bit >> 3
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
      yield {
        name: `bit ${bit}`,
        path,
        bytes,
        isLost: (group) =>
          group.path === path && (at < segmentHeaderBytes || (at >= group.at && at < group.end)),
        isMark: (group) => group.path !== path || at < group.at || at >= group.end,
        // Another format number is never taken for the trace of a power cut; 0 is a hole.
        isForeign: at >= 8 && at < 12 && bytes.readUInt32LE(8) !== 0,
      }
    }
  }
}

t.test('a flipped bit is cut off, named, or irrelevant, and never served', async (t) => {
  check(t, sample, flips())
})

function* holes(): Generator<Case> {
  for (const path of sample.paths) {
    const whole = sample.files.contentOf(path)
    for (const length of [1, 16, 64, 200]) {
      for (let at = 0; at < whole.length; at += 8) {
        const bytes = Buffer.from(whole)
        bytes.fill(0, at, Math.min(at + length, bytes.length))
        const changed = (from: number, to: number) =>
          !bytes.subarray(from, to).equals(whole.subarray(from, to))
        yield {
          name: `${length} zeros at ${at}`,
          path,
          bytes,
          isLost: (group) =>
            group.path === path && (changed(0, segmentHeaderBytes) || changed(group.at, group.end)),
          isMark: (group) => group.path !== path || !changed(group.at, group.end),
        }
      }
    }
  }
}

t.test('a hole of zeros is cut off, named, or irrelevant', async (t) => {
  check(t, sample, holes())
})

function* tails(): Generator<Case> {
  for (const path of sample.paths) {
    const whole = sample.files.contentOf(path)
    for (const tail of [Buffer.alloc(1), Buffer.alloc(5_000), whole.subarray(32, 90), whole]) {
      yield {
        name: `${tail.length} bytes behind the end`,
        path,
        bytes: Buffer.concat([whole, tail]),
        isLost: () => false,
      }
    }
  }
}

t.test('what lies behind the last group of a file is not a group', async (t) => {
  for (const { name, path, bytes } of tails()) {
    for (const applied of choices) {
      const files = sample.files.copy()
      files.setContent(path, bytes)
      const verdict = judge(sample, applied, () => false)
      t.equal(difference(files, applied, verdict), undefined, name)
      t.equal(differenceAfterCut(files, applied), undefined, name)
    }
  }
})
