// The ACL commands that only read: the current user and the categories. Keys and roles decide about
// rights, so these commands cannot create or change users.

import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { map, ok, type Reply, set } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { HandlerServices } from '../../../bus/keyvalue/services.js'
import { operatorName } from '../../../identity/keys/operator.js'
import { defaultUser, userOf } from '../connection/user-name.js'
import { aclChange } from './acl-changes.js'
import { helpRow } from './help.js'
import { categories, categoriesOf } from './introspection-info.js'

const shared = {
  grows: 'nothing',
  categories: [],
  group: 'server',
  since: '6.0.0',
  complexity: 'O(1)',
  syntax: '',
} as const
const flags = ['noscript', 'loading', 'stale'] as const
const adminFlags = ['admin', ...flags] as const

const acl: KeyValueRow = {
  ...shared,
  name: 'acl',
  arity: -2,
  flags: [],
  summary: 'What concerns users and their rights.',
  complexity: 'That of the subcommand',
  grain: 'container',
}

const whoami: KeyValueRow = {
  ...shared,
  name: 'acl|whoami',
  arity: 2,
  flags,
  summary: 'Returns the user name of the connection.',
  grain: 'local',
  run: ({ session, services }) => userOf(session, services),
}

/** Names of the existing users. */
function usersOf(services: HandlerServices): readonly string[] {
  return services.authOff ? [defaultUser] : [operatorName]
}

const users: KeyValueRow = {
  ...shared,
  name: 'acl|users',
  arity: 2,
  flags: adminFlags,
  access: 'operator',
  summary: 'Returns the names of the users.',
  grain: 'local',
  run: ({ services }) => [...usersOf(services)],
}

const list: KeyValueRow = {
  ...shared,
  name: 'acl|list',
  arity: 2,
  flags: adminFlags,
  access: 'operator',
  summary: 'Describes the users.',
  grain: 'local',
  run: ({ services }) =>
    usersOf(services).map(
      (user) => `user ${user} on ${services.authOff ? 'nopass ' : ''}~* &* +@all`,
    ),
}

const getuser: KeyValueRow = {
  ...shared,
  name: 'acl|getuser',
  arity: 3,
  flags: adminFlags,
  access: 'operator',
  summary: 'Describes a user.',
  syntax: 'username',
  grain: 'local',
  run(call) {
    if (!usersOf(call.services).includes(call.text(2))) return null
    return map([
      ...['flags', set(call.services.authOff ? ['on', 'nopass'] : ['on'])],
      ...['passwords', [], 'commands', '+@all', 'keys', '~*', 'channels', '&*', 'selectors', []],
    ])
  },
}

const cat: KeyValueRow = {
  ...shared,
  name: 'acl|cat',
  arity: -2,
  flags,
  summary: 'Returns the categories, or the commands of one.',
  syntax: '[category]',
  grain: 'local',
  run(call): Reply {
    if (call.count > 3) throw manyWords(call)
    if (call.count === 2) return [...categories]
    const name = call.text(2).toLowerCase()
    const category = categories.find((each) => each === name)
    if (category === undefined) throw refuse(`ERR Unknown category '${call.text(2)}'`)
    const commands = [...call.services.table.all()].map(({ row }) => row)
    return commands.filter((row) => categoriesOf(row).includes(category)).map((row) => row.name)
  },
}

function manyWords(call: KeyValueCall): Error {
  const text = `unknown subcommand or wrong number of arguments for '${call.text(1)}'`
  return refuse(`ERR ${text}. Try ACL HELP.`)
}

const passwordBitsMax = 4096
const usualBits = 256

const genpass: KeyValueRow = {
  ...shared,
  name: 'acl|genpass',
  arity: -2,
  flags,
  summary: 'Returns random hexadecimal digits.',
  syntax: '[bits]',
  grain: 'local',
  run(call) {
    if (call.count > 3) throw manyWords(call)
    const bits = call.count < 3 ? usualBits : call.integer(2)
    if (bits <= 0 || bits > passwordBitsMax) {
      throw refuse(
        'ERR ACL GENPASS argument must be the number of bits for the output password, a positive ' +
          `number up to ${passwordBitsMax}`,
      )
    }
    const digits = Math.ceil(bits / 4)
    const { random } = call.services
    const bytes = Buffer.from(random.bytes(Math.ceil(digits / 2)))
    return bytes.toString('hex').slice(0, digits)
  },
}

const log: KeyValueRow = {
  ...shared,
  name: 'acl|log',
  arity: -2,
  flags: adminFlags,
  access: 'operator',
  summary: 'Returns an empty list. Refused commands are in the log of the process.',
  syntax: '[count | RESET]',
  grain: 'local',
  run(call) {
    if (call.count > 3) throw manyWords(call)
    if (call.is(2, 'reset')) return ok
    if (call.count === 3) call.int64(2)
    return []
  },
}

const dryrun: KeyValueRow = {
  ...shared,
  name: 'acl|dryrun',
  arity: -4,
  flags: adminFlags,
  since: '7.0.0',
  access: 'operator',
  summary: 'Returns whether a user may send a command.',
  syntax: 'username command [arg ...]',
  grain: 'local',
  run(call) {
    const user = call.text(2)
    if (!usersOf(call.services).includes(user)) throw refuse(`ERR User '${user}' not found`)
    return dryRun(call)
  },
}

/** Existing users may run every command. */
function dryRun(call: KeyValueCall): Reply {
  const name = call.text(3)
  const command = call.services.table.find(name)
  if (command === undefined) throw refuse(`ERR Command '${name}' not found`)
  if (!command.takes(call.count - 3)) {
    throw refuse(`ERR wrong number of arguments for '${command.row.name}' command`)
  }
  return ok
}

export const aclRows: readonly KeyValueRow[] = [
  ...[acl, whoami, users, list, getuser, cat, genpass, log, dryrun],
  aclChange('setuser', -3, 'username [rule ...]'),
  aclChange('deluser', -3, 'username [username ...]'),
  ...[aclChange('save', 2), aclChange('load', 2)],
  helpRow(acl, '6.0.0'),
]
