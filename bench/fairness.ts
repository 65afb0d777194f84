// Question: how long does an honest client wait for others, while ten wallets send all they can?
// Method: reads and writes of one wallet, one at a time, alone and then beside the attack, which has
// a process of its own. The server counts what other owners had while each of these commands was
// there; the processor time of its event loop between sending and reply is read beside that, and
// has what no owner is charged for: garbage collection, and what goes on until the client wakes.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { MongoClient } from 'mongodb'
import { testWallet } from '../test/support/wallet.js'
import { WalletClient } from '../test/support/wallet-client.js'
import type { Attack, Attacker } from './support/attackers-child.js'
import { type Figure, percentile, plain } from './support/figure.js'
import { preciseLoopTimeOf, type SigilProcess, startSigil } from './support/processes.js'

const attackersCount = 10
const defaultSeconds = 60
/** Of the honest client between two commands. */
const restMs = 10
const documents = 1_000
const aloneSecondsMax = 60
const shares = [0.5, 0.99]

export async function fairness(_data?: string, seconds = defaultSeconds): Promise<Figure[]> {
  const sigil = await startSigil({ environment: { RATE_LIMITS: 'off' } })
  const child = fork('build/bench/support/attackers-child.js')
  try {
    const { uri, user } = await walletOf(sigil, 'honest')
    const honest = await MongoClient.connect(uri)
    try {
      const alone = await measure(honest, sigil.pid, Math.min(seconds / 4, aloneSecondsMax))
      const attackers: Attacker[] = []
      for (let n = 0; n < attackersCount; n++) attackers.push(await walletOf(sigil, `attacker${n}`))
      child.send(attackers)
      await once(child, 'message')
      sigil.watch(user)
      const beside = await measure(honest, sigil.pid, seconds)
      const othersMs = await sigil.othersMs()
      return [
        ...figuresOf('honest client beside ten others', alone.wallMs, beside.wallMs),
        ...figuresOf('event loop from sending to reply', alone.loopMs, beside.loopMs),
        ...shares.map((share) =>
          plain(
            `time of others until its reply, ${nameOf(share)}`,
            percentile(othersMs, share),
            'ms',
          ),
        ),
        plain('commands of the honest client', othersMs.length, 'commands'),
        ...(await ended(child)),
      ]
    } finally {
      await honest.close()
    }
  } finally {
    child.kill()
    await sigil.stop()
  }
}

/** A new wallet with a key for everything. */
async function walletOf(sigil: SigilProcess, name: string): Promise<Attacker> {
  const { httpPort, redisPort, sqlPort, wirePort } = sigil
  const wallet = testWallet(name)
  const client = await WalletClient.signIn(`http://127.0.0.1:${httpPort}`, wallet)
  const { apiKey: key } = await client.issue(name)
  const user = wallet.address
  const uri = `mongodb://${user}:${key}@127.0.0.1:${wirePort}/main?authSource=admin`
  return { user, key, uri, httpPort, redisPort, sqlPort }
}

/** Of each command, in milliseconds. */
interface Measured {
  /** As its client sees it. */
  readonly wallMs: number[]
  /** Processor time of the server's event loop meanwhile. */
  readonly loopMs: number[]
}

async function measure(client: MongoClient, pid: number, seconds: number): Promise<Measured> {
  const collection = client.db('main').collection<{ _id: number; n: number }>('honest')
  const found: Measured = { wallMs: [], loopMs: [] }
  const end = performance.now() + seconds * 1_000
  for (let n = 0; performance.now() < end; n++) {
    const loopMs = preciseLoopTimeOf(pid)
    const started = performance.now()
    const _id = (n >> 1) % documents
    if (n % 2 === 0) await collection.updateOne({ _id }, { $set: { n } }, { upsert: true })
    else await collection.findOne({ _id })
    found.wallMs.push(performance.now() - started)
    found.loopMs.push(preciseLoopTimeOf(pid) - loopMs)
    await new Promise((resolve) => setTimeout(resolve, restMs))
  }
  return found
}

function figuresOf(what: string, alone: readonly number[], beside: readonly number[]): Figure[] {
  return shares.map((share) => {
    const [ours, peer] = [percentile(beside, share), percentile(alone, share)]
    return { name: `${what}, ${nameOf(share)}`, ours, peer, ratio: ours / peer, unit: 'ms' }
  })
}

function nameOf(share: number): string {
  return `p${share * 100}`
}

async function ended(child: ChildProcess): Promise<Figure[]> {
  child.send('stop')
  const [attack] = (await once(child, 'message')) as [Attack]
  if (attack.refused > 0) process.stderr.write(`first refusal: ${attack.refusal}\n`)
  return [
    plain('pieces of the attack that were answered', attack.answered, 'pieces'),
    plain('pieces of the attack that were refused', attack.refused, 'pieces'),
  ]
}
