// Lists as keys: lists of the key-value protocol, or strings with a comma before each number. Plain
// commands, MULTI and EXEC, and reads under WATCH with an EXEC behind them.

import { setTimeout as sleep } from 'node:timers/promises'
import { RespClient, type RespReply } from '../resp-client.js'
import type { Outcome } from './history.js'
import { type ListClient, type PlannedStep, type Ran, Steps } from './list-workload.js'

interface Given {
  readonly port: number
  readonly random: () => number
  /** The operator's key, where the server asks for one. */
  readonly key?: string
}

type Words = readonly [command: string, ...words: string[]]

/** Every other one is a string. */
const isText = (list: string) => Number(list.replace(/\D/g, '')) % 2 === 1

const readOf = (list: string): Words => (isText(list) ? ['get', list] : ['lrange', list, '0', '-1'])

const appendOf = (list: string, value: number): Words =>
  isText(list) ? ['append', list, `,${value}`] : ['rpush', list, String(value)]

/** The numbers of a reply to a read; replies begin with their type. */
function numbersIn(reply: RespReply | undefined): number[] {
  if (Array.isArray(reply)) return reply.slice(1).map((item) => Number(String(item).slice(1)))
  return String(reply).split(',').slice(1).map(Number)
}

/** The server has closed the connection, or cannot reach its database. */
class NoAnswer extends Error {}

export class KeyValueLists implements ListClient {
  private connection: RespClient | undefined
  private readonly port: number
  private readonly random: () => number
  private readonly key: string | undefined

  constructor({ port, random, key }: Given) {
    this.port = port
    this.random = random
    this.key = key
  }

  async run(planned: readonly PlannedStep[]): Promise<Ran> {
    const steps = new Steps()
    const ended = (outcome: Outcome): Ran => {
      return { level: 'serializable', outcome, steps: steps.made }
    }
    // Not again before its end: a new connection watches nothing.
    await this.connect()
    try {
      const [first] = planned
      if (planned.length === 1 && first !== undefined) await this.runPlain(first, steps)
      else if (this.random() < 0.5) await this.runMulti(planned, steps)
      else return ended(await this.runWatched(planned, steps))
      return ended('committed')
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      // Reads under WATCH belong together only if EXEC has said so.
      steps.forgetReads()
      return ended('unknown')
    }
  }

  async close(): Promise<void> {
    this.connection?.socket.destroy()
  }

  private async runPlain({ list, value }: PlannedStep, steps: Steps): Promise<void> {
    if (value === undefined) return steps.read(list, numbersIn(await this.call(readOf(list))))
    steps.append(list, value)
    await this.call(appendOf(list, value))
  }

  private async runMulti(planned: readonly PlannedStep[], steps: Steps): Promise<void> {
    const commands = planned.map(({ list, value }) =>
      value === undefined ? readOf(list) : appendOf(list, value),
    )
    const asked = new Steps()
    for (const { list, value } of planned) if (value !== undefined) asked.append(list, value)
    try {
      const replies = await this.exec(commands)
      if (replies === undefined) throw new Error('EXEC without WATCH answered nil')
      for (const [at, { list, value }] of planned.entries()) {
        if (value === undefined) steps.read(list, numbersIn(replies[at]))
        else steps.append(list, value)
      }
    } catch (error) {
      // Without an answer its appends alone are known.
      steps.made.push(...asked.made)
      throw error
    }
  }

  /** Reads what it watches first, and appends only if nothing of it has changed. */
  private async runWatched(planned: readonly PlannedStep[], steps: Steps): Promise<Outcome> {
    const lists = [...new Set(planned.map(({ list }) => list))]
    await this.call(['watch', ...lists])
    for (const list of lists) steps.read(list, numbersIn(await this.call(readOf(list))))
    const commands: Words[] = []
    for (const { list, value } of planned) {
      if (value === undefined) continue
      steps.append(list, value)
      commands.push(appendOf(list, value))
    }
    // EXEC of nothing would not look at what is watched.
    const replies = await this.exec([...commands, ['ping']])
    if (replies !== undefined) return 'committed'
    // Then nothing says that its reads belong together.
    steps.forgetReads()
    return 'aborted'
  }

  private async call(words: Words): Promise<RespReply> {
    const [reply] = await this.callAll([words])
    return reply as RespReply
  }

  /** The replies; undefined if a watched key had changed. */
  private async exec(commands: readonly Words[]): Promise<readonly RespReply[] | undefined> {
    const replies = (await this.callAll([['multi'], ...commands, ['exec']])).at(-1)
    return Array.isArray(replies) ? replies.slice(1) : undefined
  }

  private async callAll(commands: readonly Words[]): Promise<readonly RespReply[]> {
    const { connection } = this
    if (connection === undefined) throw new NoAnswer()
    const asked = commands.map((words) => connection.call(...words))
    const replies = await Promise.all(asked).catch((error: unknown) => {
      throw connection.isClosed ? new NoAnswer() : error
    })
    const refused = replies.find((reply) => typeof reply === 'string' && reply.startsWith('-'))
    if (String(refused).startsWith('-LOADING')) {
      // MULTI or WATCH may be open.
      connection.close()
      throw new NoAnswer()
    }
    if (refused !== undefined) throw new Error(String(refused))
    return replies
  }

  /** While the server starts again there is none. */
  private async connect(): Promise<void> {
    while (this.connection === undefined || this.connection.isClosed) {
      this.connection = await this.open().catch(() => undefined)
      if (this.connection === undefined) await sleep(20)
    }
  }

  private async open(): Promise<RespClient> {
    const connection = await RespClient.open(this.port)
    if (this.key === undefined) return connection
    const reply = await connection.call('auth', this.key)
    if (reply === '+OK') return connection
    connection.close()
    throw new Error(String(reply))
  }
}
