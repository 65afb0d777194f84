// The keys that a service user with key patterns may use. Each key that a command names must match
// a pattern that allows the command's access. As in Redis, commands on a whole database (SCAN,
// DBSIZE, FLUSHDB) name no key. (docs/users.md, "Keys")

import { Glob } from '../../base/bytes/glob.js'
import { Slice } from '../../base/bytes/slice.js'
import type { KeyPattern, UserIdentity } from '../../identity/identity.js'
import { noKeyPermission } from './refusals.js'
import { keysOf } from './row-facts.js'
import type { RunningCall } from './running-call.js'

/** Compiled patterns. A pattern stays the same object until the user's record changes. */
const globs = new WeakMap<KeyPattern, Glob>()

/** Throws NOPERM for a key that no pattern of the user covers. */
export function requireKeys(call: RunningCall, { keyValue }: UserIdentity): void {
  const patterns = keyValue?.patterns
  if (patterns === undefined) return
  const { row, isWrite } = call.command
  if (row.readsByPattern === true && readsFurtherKeys(call) && !patterns.some(isEverything)) {
    throw noKeyPermission()
  }
  const needsRead = !isWrite || row.alsoRequires?.(call).includes('read') === true
  const needsBoth = row.privileges?.includes('read') === true && isWrite
  for (const index of keysOf(row, call.args)) {
    const matching = patterns.filter((pattern) =>
      call.args.read(index, (bytes, start, end) =>
        globOf(pattern).matchesBytes(bytes.subarray(start, end)),
      ),
    )
    const mayRead = matching.some(({ read }) => read)
    const mayWrite = matching.some(({ write }) => write)
    if ((isWrite && !mayWrite) || ((needsRead || needsBoth) && !mayRead)) throw noKeyPermission()
  }
}

/** SORT with BY or GET builds further key names from the values that it finds. */
function readsFurtherKeys(call: RunningCall): boolean {
  for (let i = 2; i < call.count; i++) if (call.is(i, 'by') || call.is(i, 'get')) return true
  return false
}

function isEverything({ glob, read }: KeyPattern): boolean {
  return read && glob.length === 1 && glob[0] === asterisk
}

const asterisk = 0x2a

function globOf(pattern: KeyPattern): Glob {
  const known = globs.get(pattern)
  if (known !== undefined) return known
  const glob = new Glob(Slice.of(pattern.glob))
  globs.set(pattern, glob)
  return glob
}
