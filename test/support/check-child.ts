// `sigil check` by a user who may read a folder and not write it. Root may write any folder, so it
// becomes another user once the program is loaded.
//
// Usage: check-child <folder>

import { readSettings } from '../../src/base/settings.js'
import { runCheck } from '../../src/cli/check.js'

const nobody = 65_534

if (process.getuid?.() === 0) {
  process.setgid?.(nobody)
  process.setuid?.(nobody)
}
process.exitCode = await runCheck(readSettings({ STORE: `lmdb:${process.argv[2]}` }))
