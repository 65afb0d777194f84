// Which test files try more in the long suite than in `npm test`. `.ci/run` runs both, so there the
// long suite takes these files alone: the others would do the same once more.

import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { heavySets } from './rotation.js'

const tests = fileURLToPath(new URL('..', import.meta.url))
/** Modules of counts; of the second, one export alone tells of the long suite. */
const counts = /\bfrom '\.[^']*\/runs\.js'|\bisLong\b[^']*from '\.[^']*\/seed\.js'/
const asksForLong = /\bisLong\b/
const draws = /\bfrom '(?:fast-check|\.[^']*\/seeded-random\.js)'/
const imports = /\bfrom '(\.[^']+\.js)'/g

const known = new Map<string, boolean>()

/** Whether the file or what it imports of `test/` has long counts, or `npm test` may leave it out. */
export function triesMore(name: string): boolean {
  return takesTurns(name) || hasCounts(join(tests, name))
}

/** Whether the long suite tries in it what `npm test` does, but more often. */
export function hasCountsAlone(name: string): boolean {
  return !takesTurns(name) && !asksForLong.test(readFileSync(join(tests, name), 'utf8'))
}

/** Whether what fails in the file may pass when it runs alone: it measures, or draws nothing. */
export function mayPassAlone(name: string): boolean {
  const isMeasured = name.startsWith('stall/') || name === 'listeners/held-memory.test.js'
  const path = join(tests, name)
  return isMeasured || !(hasCounts(path) || draws.test(readFileSync(path, 'utf8')))
}

function takesTurns(name: string): boolean {
  const file = name.replace(/\.test\.js$/, '')
  return heavySets.some(({ parts }) => parts.some((part) => part.includes(file)))
}

function hasCounts(path: string): boolean {
  const found = known.get(path)
  if (found !== undefined) return found
  // For imports in a circle.
  known.set(path, false)
  const has = hasCountsItself(path)
  known.set(path, has)
  return has
}

function hasCountsItself(path: string): boolean {
  const source = readFileSync(path, 'utf8')
  if (counts.test(source)) return true
  for (const [, specifier = ''] of source.matchAll(imports)) {
    const imported = join(dirname(path), specifier)
    const isSeed = basename(imported) === 'seed.js'
    if (!isSeed && imported.startsWith(tests) && hasCounts(imported)) return true
  }
  return false
}
