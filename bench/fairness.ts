// Question: how long does an honest client wait for others, while ten wallets send all they can?
// Method: reads and writes of one wallet, one at a time, alone and then beside the attack, which has
// a process of its own; what other owners had meanwhile is read from /metrics at the end. That
// metric is of all commands, the attackers' among them.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { MongoClient } from 'mongodb'
import { testWallet } from '../test/support/wallet.js'
import { WalletClient } from '../test/support/wallet-client.js'
import type { Attack, Attacker } from './support/attackers-child.js'
import { type Figure, percentile, plain } from './support/figure.js'
import { benchKey, type SigilProcess, startSigil } from './support/processes.js'

const attackersCount = 10
const defaultSeconds = 60
/** Of the honest client between two commands. */
const restMs = 10
const documents = 1_000

export async function fairness(_data?: string, seconds = defaultSeconds): Promise<Figure[]> {
  const sigil = await startSigil({ environment: { RATE_LIMITS: 'off' } })
  const child = fork('build/bench/support/attackers-child.js')
  try {
    const { uri } = await walletOf(sigil, 'honest')
    const honest = await MongoClient.connect(uri)
    try {
      const alone = await latencies(honest, seconds / 4)
      const attackers: Attacker[] = []
      for (let n = 0; n < attackersCount; n++) attackers.push(await walletOf(sigil, `attacker${n}`))
      child.send(attackers)
      await once(child, 'message')
      const beside = await latencies(honest, seconds)
      const others = await othersOf(sigil)
      return [
        ...figuresOf(alone, beside),
        plain('time of others, all commands, p50', others('0.5'), 'ms'),
        plain('time of others, all commands, p99', others('0.99'), 'ms'),
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

/** Milliseconds of each command as its client sees it. */
async function latencies(client: MongoClient, seconds: number): Promise<number[]> {
  const collection = client.db('main').collection<{ _id: number; n: number }>('honest')
  const found: number[] = []
  const end = performance.now() + seconds * 1_000
  for (let n = 0; performance.now() < end; n++) {
    const started = performance.now()
    const _id = (n >> 1) % documents
    if (n % 2 === 0) await collection.updateOne({ _id }, { $set: { n } }, { upsert: true })
    else await collection.findOne({ _id })
    found.push(performance.now() - started)
    await new Promise((resolve) => setTimeout(resolve, restMs))
  }
  return found
}

function figuresOf(alone: readonly number[], beside: readonly number[]): Figure[] {
  return [0.5, 0.99].map((share) => {
    const [ours, peer] = [percentile(beside, share), percentile(alone, share)]
    const name = `honest client beside ten others, p${share * 100}`
    return { name, ours, peer, ratio: ours / peer, unit: 'ms' }
  })
}

/** Milliseconds of a quantile of `svc_request_others_seconds`, over the last minute. */
async function othersOf({ httpPort }: SigilProcess): Promise<(quantile: string) => number> {
  const headers = { authorization: `Bearer ${benchKey}` }
  const answer = await fetch(`http://127.0.0.1:${httpPort}/metrics`, { headers })
  const text = await answer.text()
  return (quantile) => {
    const line = new RegExp(`^svc_request_others_seconds\\{quantile="${quantile}"\\} (\\S+)$`, 'm')
    const [, value] = line.exec(text) ?? []
    if (value === undefined) throw new Error(`/metrics answers ${answer.status} without the metric`)
    return Number(value) * 1_000
  }
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
