// CLIENT KILL in its two forms: one address, which must exist, or filters that a client must all
// match. A caller that kills itself still gets its reply.

import { refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { KeyValueSession } from '../../../bus/keyvalue/clients/session.js'
import { ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { clientTypeOf, hasType, visibleClients } from './client-list.js'
import { defaultUser, userOf } from './user-name.js'

interface Filters {
  readonly tests: ((session: KeyValueSession) => boolean)[]
  skipsMe: boolean
}

export const clientKill: KeyValueRow = {
  name: 'client|kill',
  grows: 'nothing',
  arity: -3,
  flags: ['admin', 'noscript', 'loading', 'stale'],
  categories: ['connection'],
  group: 'connection',
  summary: 'Closes one connection, or all that match the filters.',
  since: '2.4.0',
  complexity: 'O(n) in the number of clients',
  syntax:
    '<ip:port | [ID client-id] [TYPE <NORMAL | MASTER | SLAVE | REPLICA | PUBSUB>] ' +
    '[USER username] [ADDR ip:port] [LADDR ip:port] [SKIPME <YES | NO>] ...>',
  grain: 'local',
  run(call): Reply {
    if (call.count === 3) {
      const address = call.text(2)
      const found = matching(call, {
        tests: [({ remoteAddress }) => remoteAddress === address],
        skipsMe: false,
      })
      const [first] = found
      if (first === undefined) throw refuse('ERR No such client')
      kill(call, first)
      return ok
    }
    const found = matching(call, readFilters(call))
    for (const session of found) kill(call, session)
    return found.length
  },
}

function readFilters(call: KeyValueCall): Filters {
  const filters: Filters = { tests: [], skipsMe: true }
  for (let i = 2; i < call.count; i += 2) {
    if (i + 1 >= call.count) throw syntaxError()
    const value = call.text(i + 1)
    if (call.is(i, 'id')) {
      const id = call.args.read(i + 1, parseInt64)
      if (id === undefined || id < 1) throw refuse('ERR client-id should be greater than 0')
      filters.tests.push((session) => session.id === Number(id))
    } else if (call.is(i, 'type')) {
      const type = clientTypeOf(call, i + 1)
      filters.tests.push((session) => hasType(session, type))
    } else if (call.is(i, 'addr'))
      filters.tests.push(({ remoteAddress }) => remoteAddress === value)
    else if (call.is(i, 'laddr')) filters.tests.push(({ local }) => local === value)
    else if (call.is(i, 'user')) filters.tests.push(withUser(call, value))
    else if (call.is(i, 'skipme') && isYesOrNo(call, i + 1)) filters.skipsMe = call.is(i + 1, 'yes')
    else throw syntaxError()
  }
  return filters
}

function isYesOrNo(call: KeyValueCall, position: number): boolean {
  return call.is(position, 'yes') || call.is(position, 'no')
}

function withUser({ session, services }: KeyValueCall, user: string): Filters['tests'][number] {
  if (user !== defaultUser && user !== userOf(session, services)) {
    throw refuse(`ERR No such user '${user}'`)
  }
  return (other) => userOf(other, services) === user
}

function matching(call: KeyValueCall, { tests, skipsMe }: Filters): KeyValueSession[] {
  const clients = [...visibleClients(call)].filter((session) =>
    tests.every((test) => test(session)),
  )
  return skipsMe ? clients.filter((session) => session !== call.session) : clients
}

function kill(call: KeyValueCall, session: KeyValueSession): void {
  session.isEnding = true
  if (session !== call.session) session.socket.destroy()
}
