// Question: what do retryable writes and transactions cost? Writes with a session's number beside the
// same without one (the bar is 0.9), a transaction of one find and two updates beside the three
// commands alone (0.3), and transactions while 64 are open beside one at a time. Processor time of
// the event loop, so that the disk and the client do not count.

import { Binary, Long } from 'bson'
import { WireClient } from '../../test/support/wire-client.js'
import { compare, type Figure } from '../support/figure.js'
import { preciseLoopTimeOf, type SigilProcess, startSigil } from '../support/processes.js'

const clientsMax = 64
const concurrency = 16
/** Clients have rows of their own, so that no transaction meets another. */
const rowsEach = 100
const text = 'x'.repeat(200)

type Fields = Readonly<Record<string, unknown>>

/** A connection with its session. */
class SessionClient {
  private number = 0
  private next = 0

  private constructor(
    private readonly wire: WireClient,
    private readonly at: number,
  ) {}

  static async open(port: number, at: number): Promise<SessionClient> {
    return new SessionClient(await WireClient.open(port), at)
  }

  close(): Promise<void> {
    return this.wire.close()
  }

  async insert(count: number, isNumbered: boolean): Promise<void> {
    const documents = Array.from({ length: count }, () => {
      return { _id: `${this.at}-${this.next++}`, n: this.next, text }
    })
    // Drivers send their session with every command.
    const { lsid, txnNumber } = this.session(++this.number)
    const session = isNumbered ? { lsid, txnNumber } : { lsid }
    await this.run({ insert: 'inserted', documents, ...session })
  }

  async fill(): Promise<void> {
    const documents = Array.from({ length: rowsEach }, (_, i) => ({ _id: this.row(i), n: 0, text }))
    await this.run({ insert: 'rows', documents })
  }

  /** One find and two updates. */
  async plain(): Promise<void> {
    for (const command of this.three()) await this.run(command)
  }

  async transaction(): Promise<void> {
    const session = { ...this.session(++this.number), autocommit: false }
    let start: Fields = { startTransaction: true }
    for (const command of this.three()) {
      await this.run({ ...command, ...session, ...start })
      start = {}
    }
    await this.run({ commitTransaction: 1, ...session, $db: 'admin' })
  }

  private three(): Fields[] {
    const [one, other] = [this.row(this.next++), this.row(this.next++)]
    const increment = (id: string) => ({
      update: 'rows',
      updates: [{ q: { _id: id }, u: { $inc: { n: 1 } } }],
    })
    return [{ find: 'rows', filter: { _id: one } }, increment(one), increment(other)]
  }

  private row(index: number): string {
    return `${this.at}-${index % rowsEach}`
  }

  private session(number: number): Fields {
    const id = new Uint8Array(16).fill(this.at + 1)
    return { lsid: { id: new Binary(id, 4) }, txnNumber: Long.fromNumber(number) }
  }

  private async run(fields: Fields): Promise<void> {
    const reply = await this.wire.run({ ...fields, $db: fields.$db ?? 'main' })
    if (reply.ok !== 1 || reply.writeErrors !== undefined) throw new Error(JSON.stringify(reply))
  }
}

export async function documentsSessions(): Promise<Figure[]> {
  const sigil = await startSigil({ environment: { TOPOLOGY: 'router', AUTH_MODE: 'off' } })
  const clients: SessionClient[] = []
  try {
    for (let at = 0; at < clientsMax; at++) {
      const client = await SessionClient.open(sigil.wirePort, at)
      await client.fill()
      clients.push(client)
    }
    return await measure(sigil, clients)
  } finally {
    await Promise.all(clients.map((client) => client.close()))
    await sigil.stop()
  }
}

async function measure(sigil: SigilProcess, clients: readonly SessionClient[]): Promise<Figure[]> {
  const some = clients.slice(0, concurrency)
  const insert = (count: number, times: number, isNumbered: boolean) =>
    rate(sigil, some, times, (client) => client.insert(count, isNumbered))
  const figures: Figure[] = []
  for (const [name, count, times] of [
    ['insertOne with a txnNumber', 1, 4_000],
    ['insertMany of 100 with a txnNumber', 100, 200],
  ] as const) {
    const ours = () => insert(count, times, true)
    figures.push(await compare(name, 'ops/s', ours, () => insert(count, times, false)))
  }
  const transactions = (of: readonly SessionClient[]) => () =>
    rate(sigil, of, 1_500, (client) => client.transaction())
  const alone = () => rate(sigil, some, 1_500, (client) => client.plain())
  const what = 'transaction of one find and two updates'
  figures.push(await compare(what, 'ops/s', transactions(some), alone))
  const crowd = `transactions, ${clientsMax} at a time`
  const single = transactions(clients.slice(0, 1))
  figures.push(await compare(crowd, 'ops/s', transactions(clients), single))
  return figures
}

/** Runs of `work` for a second of the event loop's processor time. */
async function rate(
  { pid }: SigilProcess,
  clients: readonly SessionClient[],
  times: number,
  work: (client: SessionClient) => Promise<void>,
): Promise<number> {
  let left = times
  const before = preciseLoopTimeOf(pid)
  const worker = async (client: SessionClient) => {
    while (left-- > 0) await work(client)
  }
  await Promise.all(clients.map(worker))
  return (times / (preciseLoopTimeOf(pid) - before)) * 1_000
}
