// A long update or delete is parsed ahead, in turns; the command then has the arguments, or the
// error, that it would have had.

import t from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { operationsAheadBytes, operationsAheadMin } from '../../../src/base/limits/documents.js'
import { work } from '../../../src/base/work/work-budget.js'
import { parsedOperationUnits, turnUnits } from '../../../src/base/work/work-figures.js'
import { parsedAhead } from '../../../src/bus/document/operations-ahead.js'
import type { Message } from '../../../src/bus/session.js'
import { updateDeleteRows } from '../../../src/commands/document/writing/update-delete.js'
import { documentFrom } from '../../../src/value/literal.js'
import { Value } from '../../../src/value/value.js'

type Fields = Readonly<Record<string, unknown>>

const many = operationsAheadMin + 2_000

/** The same command with its operations in a sequence, and in the body. */
function messages(command: 'update' | 'delete', operations: readonly Fields[]): Message[] {
  const list = `${command}s`
  const documents = operations.map((operation) => documentFrom(operation))
  const inBody = documentFrom({ [command]: 'c', [list]: [...operations] })
  return [
    { db: 'd', body: documentFrom({ [command]: 'c' }), sequences: new Map([[list, documents]]) },
    { db: 'd', body: inBody, sequences: new Map() },
  ]
}

/** The operations as texts, since most share the bytes of their message; or the error. */
function parsed(command: string, message: Message): unknown {
  const row = updateDeleteRows.find(({ name }) => name === command)
  try {
    const args = (row?.parse(message).args ?? {}) as Readonly<Record<string, unknown>>
    return (args[`${command}s`] as readonly Fields[]).map(told).join('\n')
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.message]
    throw error
  }
}

function told(operation: Fields): string {
  const told = Object.entries(operation).map(([name, value]) => {
    if (value instanceof Uint8Array) return `${name}=${Buffer.from(value).toString('hex')}`
    if (!(value instanceof Value)) return `${name}=${JSON.stringify(value)}`
    const { type, bytes, start, end } = value
    return `${name}=${type} ${Buffer.from(bytes.subarray(start, end)).toString('hex')}`
  })
  return told.join(' ')
}

const updates = Array.from({ length: many }, (_, i) => ({ q: { _id: i }, u: { $set: { a: i } } }))
const deletes = Array.from({ length: many }, (_, i) => ({ q: { _id: i }, limit: 1 }))

t.test('the arguments are those of a parse at once', async (t) => {
  for (const message of [...messages('update', updates), ...messages('delete', deletes)]) {
    const command = message.body[5] === 'u'.charCodeAt(0) ? 'update' : 'delete'
    const atOnce = parsed(command, message)
    await parsedAhead(message)
    const before = work.spent
    const args = parsed(command, message)
    t.ok(work.spent - before < many, 'the command does not parse them again')
    t.equal(typeof args, 'string')
    t.ok(args === atOnce, 'equal arguments')
  }
})

t.test('an operation that cannot be parsed has the error of a parse at once', async (t) => {
  for (const wrong of [
    { q: 5, limit: 1 },
    { q: {}, limit: 1, other: 1 },
  ]) {
    for (const message of messages('delete', [...deletes, wrong])) {
      const atOnce = parsed('delete', message)
      t.type(atOnce, Array)
      await parsedAhead(message)
      t.same(parsed('delete', message), atOnce)
    }
  }
})

t.test('it pauses after each turn', async (t) => {
  for (const message of messages('update', updates)) {
    let last = work.spent
    let longest = 0
    let isOver = false
    const round = (): void => {
      longest = Math.max(longest, work.spent - last)
      last = work.spent
      if (!isOver) setImmediate(round)
    }
    setImmediate(round)
    const before = work.spent
    await parsedAhead(message)
    isOver = true
    t.ok(work.spent - before >= many * parsedOperationUnits, 'each operation counts')
    t.ok(longest <= turnUnits + parsedOperationUnits, `${longest} units in a turn`)
  }
})

t.test('a short command begins at once, a long one in the next turn', async (t) => {
  for (const message of messages('delete', deletes.slice(0, 10))) {
    t.equal(parsedAhead(message), undefined)
  }
  const insert = (bytes: number): Message => {
    const body = documentFrom({ insert: 'c', documents: [{ text: 'a'.repeat(bytes) }] })
    return { db: 'd', body, sequences: new Map() }
  }
  t.equal(parsedAhead(insert(operationsAheadBytes / 2)), undefined)
  let isNext = false
  setImmediate(() => {
    isNext = true
  })
  await parsedAhead(insert(operationsAheadBytes))
  t.ok(isNext)
})
