// Long JSON goes through a thread and comes out as short JSON does, errors too.

import t from 'tap'
import { jsonInThreadBytes } from '../../src/base/limits/engine.js'
import { work } from '../../src/base/work/work-budget.js'
import {
  asciiJson,
  joinedJson,
  jsonBetween,
  readDocument,
} from '../../src/listeners/json-thread.js'
import { documentToJson, jsonToDocument } from '../../src/value/json/json.js'
import { documentValue } from '../../src/value/value.js'

const long = JSON.stringify({ a: Array.from({ length: 50_000 }, (_, i) => i), s: 'é\n' })
const bad = `${long.slice(0, -1)},}`

t.test('long texts are read and written as short ones, and cost this thread nothing', async (t) => {
  t.ok(long.length > jsonInThreadBytes)
  const wanted = jsonToDocument(long)
  const before = work.spent
  const read = await readDocument(Buffer.from(long))
  t.same(Buffer.from(read), Buffer.from(wanted))
  const text = await jsonBetween('{"document":', documentValue(read), ',"ok":1}', 'plain')
  t.equal(String(text), `{"document":${long},"ok":1}`)
  t.ok(work.spent - before < 100, 'before, 75,000 units')
})

t.test('what is wrong with a long text is told as of a short one', async (t) => {
  const reasonOf = (text: string): string => {
    try {
      jsonToDocument(text)
      return 'none'
    } catch (error) {
      return (error as Error).message
    }
  }
  await t.rejects(Promise.resolve(readDocument(Buffer.from(bad))), { message: reasonOf(bad) })
  const list = `[${'1,'.repeat(100_000)}1]`
  await t.rejects(Promise.resolve(readDocument(Buffer.from(list))), {
    message: /expected an object/,
  })
  t.equal(documentToJson(await readDocument(Buffer.from('{"a":1}')), 'plain'), '{"a":1}')
})

t.test('texts are joined as text, or as bytes where one of them is', async (t) => {
  t.equal(joinedJson('[', ['1', '2'], ',', ']'), '[1,2]')
  t.equal(String(joinedJson('[', ['1', Buffer.from('"é"')], ',', ']')), '[1,"é"]')
  t.equal(asciiJson('é"'), '"\\u00e9\\""')
})
