// Waits for write groups that began before now, on any gateway. Each reads a snapshot of its own,
// so it may commit after a flag that it has not seen: serializable does not mean at once.
// (docs/design/changes.md, "Recording")

import type { Elsewhere } from '../../store.js'
import { writerName } from '../gateway-row.js'
import type { Links } from '../links.js'
import type { Statement } from '../statement.js'

/**
 * Every transaction holds a lock on its own number from BEGIN on, before its snapshot. PostgreSQL
 * shows these locks to all users. The writers of other stores in the database are waited for too.
 */
const list: Statement = {
  name: 'list_writes',
  text: `SELECT virtualxid FROM pg_locks JOIN pg_stat_activity a USING (pid)
    WHERE locktype = 'virtualxid' AND mode = 'ExclusiveLock'
      AND datname = current_database() AND application_name = '${writerName}'`,
}
const remain: Statement = {
  name: 'remaining_writes',
  text: `SELECT virtualxid AS remaining FROM pg_locks
    WHERE locktype = 'virtualxid' AND mode = 'ExclusiveLock' AND virtualxid = ANY($1::text[])`,
}
/** A write group takes some milliseconds. */
const againMs = 5

export function awaitOlderWrites(links: Links): ReturnType<Elsewhere['begin']> {
  let isEnded = false
  return {
    done: wait(links, () => isEnded),
    end: () => {
      isEnded = true
    },
  }
}

async function wait(links: Links, isEnded: () => boolean): Promise<void> {
  let left = await ask(links, list)
  while (left.length > 0 && !isEnded()) {
    await new Promise((resolve) => {
      setTimeout(resolve, againMs)
    })
    // Numbers have digits and a slash, so the list needs no quotes.
    left = await ask(links, remain, `{${left.join()}}`)
  }
}

async function ask(links: Links, statement: Statement, ...values: string[]): Promise<string[]> {
  const link = await links.take()
  try {
    const rows = await link.run(statement, values)
    return rows.map(([virtualxid]) => String(virtualxid))
  } finally {
    links.give(link)
  }
}
