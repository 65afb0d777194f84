// The lookup of commands and the checks that rows pass before anyone can send them.

import t from 'tap'
import { commandName } from '../../../src/bus/document/command-name.js'
import { anyValue, optional, string } from '../../../src/bus/document/params.js'
import { reply } from '../../../src/bus/document/reply.js'
import { documentRow } from '../../../src/bus/document/row.js'
import { CommandTable } from '../../../src/bus/document/table.js'
import { plain } from '../../../src/bus/policy/facts.js'
import { documentRows } from '../../../src/commands/rows.js'
import { documentFrom } from '../../../src/value/literal.js'

const sound = {
  name: 'echo',
  ...plain,
  grain: 'local',
  access: 'identity',
  target: anyValue,
  params: { text: optional(string) },
  help: 'Echoes.',
  run: () => reply(),
} as const

t.test('a row is found by name and alias, in its own spelling', async (t) => {
  const row = documentRow({ ...sound, aliases: ['Echo'] })
  const other = documentRow({ ...sound, name: 'ecco' })
  const table = new CommandTable([row, other])
  const find = (name: string) => table.rowOf(documentFrom({ [name]: 1, text: 'echo' }))
  t.equal(find('echo'), row)
  t.equal(find('Echo'), row)
  t.equal(find('ecco'), other)
  for (const name of ['ECHO', 'ech', 'echoo', 'text', '']) t.equal(find(name), undefined, name)
  t.equal(table.rowOf(documentFrom({})), undefined)
})

t.test('the text of a statement is that of a command of SQL', async (t) => {
  const table = new CommandTable(documentRows)
  const textOf = (command: Record<string, unknown>) => table.statementIn(documentFrom(command))
  for (const name of ['sqlSelect', 'sqlChange', 'sqlShow', 'sqlExplain', 'sqlDefine']) {
    t.equal(textOf({ [name]: 'SELECT 1', params: [1] }), 'SELECT 1', name)
  }
  for (const command of [{ find: 'SELECT 1' }, { sqlSelect: 1 }, { sqlTruncate: 'a' }, {}]) {
    t.equal(textOf(command), undefined, JSON.stringify(command))
  }
})

t.test('a row that cannot be right fails at start', async (t) => {
  t.throws(() => documentRow({ ...sound, name: 'two words' }), /command name/)
  t.throws(() => documentRow({ ...sound, help: 'No sentence' }), /one sentence/)
  const { grows: _, ...silent } = sound
  // @ts-expect-error: a row without the fact is a mistake of types, too.
  t.throws(() => documentRow({ ...silent }), /does not say what it makes larger/)
  for (const [fact, text] of [
    ['fails', /does not say how it fails/],
    ['metered', /does not say how it is metered/],
    ['ends', /does not say what it ends/],
  ] as const) {
    const without: typeof sound = { ...sound }
    Reflect.deleteProperty(without, fact)
    t.throws(() => documentRow(without), text)
  }
  t.throws(() => documentRow({ ...sound, secrets: ['password'] }), /secret password is no field/)
  t.throws(() => documentRow({ ...sound, params: { lsid: string } }), /generic field/)
  t.throws(() => documentRow({ ...sound, params: { echo: string } }), /named like the command/)
  t.throws(
    () =>
      documentRow({
        ...sound,
        grain: 'point',
        access: 'anonymous',
        *run() {
          return reply()
        },
      }),
    /without sign-in/,
  )
})

t.test('two commands of one name fail at start', async (t) => {
  const row = documentRow(sound)
  t.throws(() => new CommandTable([row, documentRow({ ...sound, name: 'b', aliases: ['echo'] })]))
})

t.test('the name of a command is its first field', async (t) => {
  t.equal(commandName(documentFrom({ find: 'c', filter: {} })), 'find')
  t.equal(commandName(documentFrom({})), undefined)
})

t.test('the table of the document protocol is sound', async (t) => {
  const table = new CommandTable(documentRows)
  for (const name of [
    'find',
    'isMaster',
    'ismaster',
    'findandmodify',
    'collstats',
    'deleteIndexes',
  ])
    t.ok(table.rowOf(documentFrom({ [name]: 1 })), name)
})
