// Finding what a word stands for.

import t from 'tap'
import { NameTable } from '../../../src/protocol/resp/name-table.js'
import { latin1 } from './requests.js'

const names = ['get', 'GETSET', 'config|get', 'a', 'zrangebyscore']

function find<T>(table: NameTable<T>, word: string): T | undefined {
  const bytes = latin1(`xx${word}yy`)
  return table.find(bytes, 2, bytes.length - 2)
}

t.test('a name is found in any case, and no other word is', async (t) => {
  const table = new NameTable(names.map((name, index) => [name, index]))
  for (const [index, name] of names.entries()) {
    t.equal(find(table, name), index)
    t.equal(find(table, name.toUpperCase()), index)
    t.equal(find(table, name.toLowerCase()), index)
    t.equal(find(table, `${name}x`), undefined)
    t.equal(find(table, name.slice(0, -1)), undefined)
  }
  t.equal(find(table, ''), undefined)
  t.equal(find(table, 'zrangebyscore'.padEnd(10_000, 'x')), undefined)
})

t.test('thousands of names find themselves', async (t) => {
  const many = Array.from({ length: 5_000 }, (_, index) => `name${index * 7}`)
  const table = new NameTable(many.map((name) => [name, name]))
  t.ok(many.every((name) => find(table, name.toUpperCase()) === name))
})

t.test('one name twice is refused, and none at all is fine', async (t) => {
  t.throws(
    () =>
      new NameTable([
        ['get', 1],
        ['GET', 2],
      ]),
    /get is in the table twice/,
  )
  t.equal(find(new NameTable([]), 'get'), undefined)
})
