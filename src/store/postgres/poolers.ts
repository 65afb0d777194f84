// Finds a pooler that gives a connection of PostgreSQL to its clients for one transaction each. The
// tables would be made by one connection and missed by the next, and notifications would be lost.
// (docs/scale.md, "How")

import { fail } from '../../base/errors.js'
import { Link, type LinkOptions } from './link.js'

/** Throws InvalidOptions if the next transaction may run in another session. */
export async function requireSession(link: Link, options: LinkOptions): Promise<void> {
  const first = await backendOf(link)
  // A pooler has keys of its own.
  if (first === link.backend) return
  const other = await Link.open(options, 'sigil start')
  try {
    await other.command('BEGIN')
    const second = await backendOf(other)
    const again = await backendOf(link)
    await other.command('COMMIT')
    if (second !== first && again === first) return
  } finally {
    await other.close()
  }
  throw fail(
    'InvalidOptions',
    'setting STORE: this is a pooler in transaction mode, where sessions and notifications are ' +
      'lost. Connect to PostgreSQL itself, or to a pooler in session mode',
  )
}

async function backendOf(link: Link): Promise<number> {
  const [row] = await link.command('SELECT pg_backend_pid()')
  return Number(row?.[0])
}
