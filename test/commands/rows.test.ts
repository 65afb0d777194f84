// The facts of all commands, of both tables, and that no other place lists names of commands.

import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { KeyValueTable } from '../../src/bus/keyvalue/command.js'
import type { KeyValueRow } from '../../src/bus/keyvalue/row.js'
import { type CommandFacts, checkFacts } from '../../src/bus/policy/facts.js'
import { keyValueRows } from '../../src/commands/keyvalue/rows.js'
import { documentRows } from '../../src/commands/rows.js'

const commands = [...new KeyValueTable(keyValueRows).all()]
const facts: readonly CommandFacts[] = [...documentRows, ...commands.map((each) => each.facts)]
const names = ['access', 'grows', 'fails', 'metered', 'ends', 'roles'] as const

t.test('every command of both tables has each fact', async (t) => {
  t.equal(facts.length, documentRows.length + keyValueRows.length)
  for (const each of facts) {
    for (const name of names) t.ok(each[name] !== undefined, `${each.name} has ${name}`)
  }
})

t.test('a command without one of them does not start', async (t) => {
  const [sound] = facts
  if (sound === undefined) throw new Error('no command')
  t.doesNotThrow(() => checkFacts(sound))
  for (const name of names) {
    const without = { ...sound }
    Reflect.deleteProperty(without, name)
    t.throws(() => checkFacts(without), /it does not say/, name)
  }
  const [row] = keyValueRows
  const { grows: _, ...silent } = row as KeyValueRow
  // @ts-expect-error: a row without the fact is a mistake of types, too.
  t.throws(() => new KeyValueTable([{ ...silent }]), /what it makes larger/)
})

/** Names of commands that another program fixed, or that are rows themselves. */
const otherLists = new Map([
  ['src/commands/document/server/refused.ts', 'rows: what is refused'],
  ['src/commands/admin/users.ts', "MongoDB's actions of a role, which are not commands"],
  ['src/protocol/wire/op-query.ts', 'the commands that OP_QUERY may carry'],
])

t.test('a list of names of commands is a fact that belongs on rows', async (t) => {
  const tables: readonly ReadonlySet<string>[] = [
    new Set(documentRows.flatMap(({ name, aliases = [] }) => [name, ...aliases])),
    new Set(keyValueRows.map(({ name }) => name)),
  ]
  const listed = (words: readonly string[]) =>
    words.length >= 3 && tables.some((table) => words.every((word) => table.has(word)))
  const found = new Set<string>()
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  for (const path of files.filter((name) => name.endsWith('.ts')).map((name) => `src/${name}`)) {
    const text = readFileSync(path, 'utf8')
    const arrays = [...text.matchAll(/\[\s*((?:'[^'\n]*',?\s*){3,})\]/g)].map(([, inside = '']) =>
      [...inside.matchAll(/'([^']*)'/g)].map(([, word = '']) => word),
    )
    const texts = [...text.matchAll(/'([^'\n]*)'/g)].map(([, word = '']) => word.split(' '))
    for (const words of [...arrays, ...texts]) {
      if (!listed(words)) continue
      found.add(path)
      t.ok(otherLists.has(path), `${path} lists ${words.join(' ')}: make it a fact of their rows`)
    }
  }
  t.same(found, new Set(otherLists.keys()), 'each exception is one')
})
