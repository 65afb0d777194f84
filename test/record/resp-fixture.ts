// What is kept of the real server of the key-value protocol: conversations of its clients, and runs
// of the differential suite with its replies. Bytes stand as characters of the same number.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface RespFrame {
  readonly from: 'client' | 'server'
  /** From 1, in the order of first requests. */
  readonly connection: number
  /** A request, or a reply or push; empty where the client closes. */
  readonly text: string
}

/** One client from its first byte on. */
export interface Conversation {
  readonly name: string
  /** Program and version. */
  readonly client: string
  readonly server: string
  readonly frames: readonly RespFrame[]
}

/** A command, and the reply that it had. */
type Exchange = readonly [words: readonly string[], reply: string]

interface Transcript {
  readonly name: string
  readonly server: string
  readonly protocol: '2' | '3'
  /** When it was recorded: some replies tell what is left until a given time. */
  readonly nowMs: number
  /** Each begins on empty databases. */
  readonly runs: readonly (readonly Exchange[])[]
}

/** A reply of which only the beginning is kept: it is too long, and an exemption covers it. */
export const cutMark = '…'
const replyCharactersMax = 4_000

/** Build output mirrors the repository, one folder deeper. */
const folder = fileURLToPath(new URL('../../../protocol-fixtures/resp/', import.meta.url))

export function cut(reply: string): string {
  return reply.length > replyCharactersMax ? reply.slice(0, 100) + cutMark : reply
}

export function saveConversation(given: Conversation): string {
  const { frames, ...head } = given
  return save(`clients/${given.name}`, head, 'frames', frames)
}

export function saveTranscript(given: Transcript): string {
  const { runs, ...head } = given
  const lines = runs.flatMap((run, i) => run.map((exchange) => [i, ...exchange]))
  return save(`transcripts/${given.name}-resp${given.protocol}`, head, 'exchanges', lines)
}

export function readConversations(): Conversation[] {
  return readAll('clients') as Conversation[]
}

export function readTranscripts(): Transcript[] {
  return readAll('transcripts').map((read) => {
    const { exchanges, ...head } = read as Saved
    const runs: Exchange[][] = []
    for (const [run, words, reply] of exchanges) {
      const exchangesOfRun = runs[run] ?? []
      runs[run] = exchangesOfRun
      exchangesOfRun.push([words, reply])
    }
    return { ...head, runs }
  })
}

type Saved = Omit<Transcript, 'runs'> & {
  readonly exchanges: readonly (readonly [run: number, words: string[], reply: string])[]
}

/** One item a line, so that a change of one reply is a change of one line. */
function save(name: string, head: object, listName: string, items: readonly unknown[]): string {
  const path = `${folder}${name}.json`
  mkdirSync(dirname(path), { recursive: true })
  const fields = Object.entries(head).map(
    ([field, value]) => `  "${field}": ${JSON.stringify(value)},`,
  )
  const lines = items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')
  writeFileSync(path, `{\n${fields.join('\n')}\n  "${listName}": [\n${lines}\n  ]\n}\n`)
  return path
}

function readAll(kind: string): unknown[] {
  const path = `${folder}${kind}/`
  if (!existsSync(path)) return []
  return readdirSync(path)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(path + file, 'utf8')))
}
