// ACL commands that would change users; every caller is refused. Keys and roles have their own
// routes, and ACL rules of Redis cannot express them.

import { refuse } from '../../../base/reply-error.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'

/** The error of SAVE and LOAD in a Redis server without an ACL file. */
const noFile =
  'ERR This Redis instance is not configured to use an ACL file. You may want to specify users ' +
  'via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis ' +
  'configuration file set) in order to store users in the Redis configuration.'

export function aclChange(name: string, arity: number, syntax = ''): KeyValueRow {
  const isFile = name === 'save' || name === 'load'
  return {
    name: `acl|${name}`,
    grows: 'nothing',
    arity,
    syntax,
    flags: ['admin', 'noscript', 'loading', 'stale'],
    categories: [],
    group: 'server',
    access: 'operator',
    secretsFrom: 2,
    summary: 'Refuses: rights come from keys and roles.',
    since: '6.0.0',
    complexity: 'O(1)',
    grain: 'local',
    run() {
      if (isFile) throw refuse(noFile)
      throw refuse(
        `ERR ACL ${name.toUpperCase()} is not possible here: rights come from keys`,
        'Unauthorized',
      )
    },
  }
}
