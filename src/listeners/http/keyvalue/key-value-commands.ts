// Commands in a JSON body. A short body is parsed at once; a long one, up to 48 MB, is parsed in
// the JSON thread and read in several turns. (docs/http.md, "Key-value commands")

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { jsonInThreadBytes } from '../../../base/limits/engine.js'
import { work } from '../../../base/work/work-budget.js'
import { bytesPerUnit, wordUnits } from '../../../base/work/work-figures.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import { RespRequest } from '../../../protocol/resp/request.js'
import type { Awaitable } from '../../../store/store.js'
import { Elements } from '../../../value/elements.js'
import { bsonType, type Value } from '../../../value/value.js'
import { jsonBetween, readValue } from '../../json-thread.js'
import { commandOf, requireWords, wordOf } from './key-value-words.js'

/** Bytes of words that are copied without a check of the turn. */
const copiedAtOnce = 4 * 1024 * 1024
/** Cost of placing one word, or its bytes. */
const placedUnits = 1

/** As commandOf. Throws or rejects with BadValue. */
export function readCommand(given: Value, asJson = false): Awaitable<RespRequest> {
  return isLong(given) ? longCommand(given, asJson, new WorkTurns()) : commandOf(given, asJson)
}

/** The command in a body: an array, whose elements other than texts and numbers are JSON. */
export async function bodyCommand(body: Bytes): Promise<RespRequest> {
  return readCommand(await readValue(body), true)
}

/** The commands of a pipeline: a body that is an array of arrays. */
export async function bodyCommands(body: Bytes): Promise<readonly RespRequest[]> {
  const given = await readValue(body)
  if (given.type !== bsonType.array) throw fail('BadValue', 'a pipeline is an array of commands')
  const turns = new WorkTurns()
  const commands: RespRequest[] = []
  const elements = new Elements(given.bytes, given.start)
  while (elements.next()) {
    const each = elements.value()
    const command = isLong(each) ? await longCommand(each, true, turns) : commandOf(each, true)
    commands.push(command)
    work.note(command.count * wordUnits)
    if (turns.isDue) await turns.pause()
  }
  return commands
}

function isLong({ start, end }: Value): boolean {
  return end - start > jsonInThreadBytes
}

async function longCommand(given: Value, asJson: boolean, turns: WorkTurns): Promise<RespRequest> {
  requireWords(given)
  const words: Bytes[] = []
  const elements = new Elements(given.bytes, given.start)
  while (elements.next()) {
    const value = elements.value()
    words.push(
      isLong(value) && isJson(value, asJson) ? await longJson(value) : wordOf(value, asJson),
    )
    work.note(wordUnits)
    if (turns.isDue) await turns.pause()
  }
  return joined(words, turns)
}

/** Whether its word is its JSON, made in the thread if long. */
function isJson({ type }: Value, asJson: boolean): boolean {
  return asJson && (type === bsonType.array || type === bsonType.object)
}

async function longJson(value: Value): Promise<Bytes> {
  const text = await jsonBetween('', value, '', 'plain')
  return typeof text === 'string' ? Buffer.from(text) : text
}

/** As requestOf. */
async function joined(words: readonly Bytes[], turns: WorkTurns): Promise<RespRequest> {
  const table = new Int32Array(2 * words.length)
  let length = 0
  for (let i = 0; i < words.length; i++) {
    table[2 * i] = length
    length += (words[i] as Bytes).length
    table[2 * i + 1] = length
    work.note(placedUnits)
    if (turns.isDue) await turns.pause()
  }
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as Bytes
    const start = table[2 * i] as number
    work.note(placedUnits)
    for (let from = 0; from < word.length; from += copiedAtOnce) {
      const part = word.subarray(from, from + copiedAtOnce)
      bytes.set(part, start + from)
      work.note(part.length / bytesPerUnit)
      if (turns.isDue) await turns.pause()
    }
    if (turns.isDue) await turns.pause()
  }
  return new RespRequest(bytes, table, 0, words.length)
}
