// The programs of each major version of PostgreSQL that npm has, beside Debian's (postgres-reference.ts).

import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Ending } from './postgres-reference.js'
import { toolFolder } from './tools.js'

export const majors = [12, 13, 14, 15, 16, 17, 18] as const

interface Link {
  readonly source: string
  readonly target: string
}

/**
 * The folder of a version's programs. It is a copy that goes with the test: the servers run as another
 * user, who may not see this checkout.
 */
export async function programsOf(t: Ending, major: (typeof majors)[number]): Promise<string> {
  const given = join(await toolFolder('postgres'), 'node_modules', `postgres-${major}`, 'native')
  const folder = mkdtempSync('/tmp/sigil-pg-programs-')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  cpSync(given, join(folder, 'native'), { recursive: true })
  // npm's packages have no links: a script of theirs, which is not run here, makes them of this list.
  const links = JSON.parse(readFileSync(join(given, 'pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links) symlinkSync(basename(source), join(folder, target))
  return join(folder, 'native/bin')
}
