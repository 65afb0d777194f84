// SAVE: waits for a commit of its own. After it, all earlier acknowledged writes are as durable as
// the setting DURABILITY requires.

import { ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { Program, Tx } from '../../../store/store.js'

const save: KeyValueRow = {
  name: 'save',
  grows: 'nothing',
  arity: 1,
  flags: ['admin', 'noscript', 'no_async_loading', 'no_multi'],
  categories: [],
  access: 'operator',
  group: 'server',
  summary: 'Replies when earlier writes are as durable as DURABILITY says.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: '',
  grain: 'task',
  async run({ services, now }): Promise<Reply> {
    await services.store.write(nothing)
    services.figures.savedAt = Math.floor(now / 1_000)
    services.programs.changed = 0
    return ok
  },
}

function* nothing(_tx: Tx): Program<void> {}

export const saveRows: readonly KeyValueRow[] = [save]
