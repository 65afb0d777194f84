// Question: what does Sigil cost a find by _id through the Node driver, beside a server that
// answers the same bytes from a Map over the same framing? The bar is half of that ceiling.

import { MongoClient } from 'mongodb'
import { seededRandom } from '../test/support/seeded-random.js'
import { compare, type Figure, percentile, plain } from './support/figure.js'
import { startPeer, startSigil } from './support/processes.js'

const documents = 20_000
const operations = 8_000
const concurrency = 32

interface Sample {
  _id: number
  n: number
  name: string
  text: string
  tags: string[]
}

export async function findById(): Promise<Figure[]> {
  const sigil = await startSigil()
  const peer = await startPeer('wire-ceiling')
  const ours = await MongoClient.connect(sigil.uri)
  const theirs = await MongoClient.connect(`mongodb://127.0.0.1:${peer.port}/main`)
  try {
    await fill(ours)
    await fill(theirs)
    const name = `find by _id, driver 7, ${concurrency} at a time`
    const figure = await compare(
      name,
      'ops/s',
      () => rate(ours),
      () => rate(theirs),
    )
    return [figure, plain('p99 of a point read at that load', await p99(ours), 'ms')]
  } finally {
    await ours.close()
    await theirs.close()
    await sigil.stop()
    await peer.stop()
  }
}

async function fill(client: MongoClient): Promise<void> {
  const collection = client.db('main').collection<Sample>('bench')
  for (let start = 0; start < documents; start += 1_000) {
    const batch = Array.from({ length: 1_000 }, (_, index) => sample(start + index))
    await collection.insertMany(batch)
  }
}

function sample(n: number): Sample {
  return { _id: n, n, name: `name ${n}`, text: 'x'.repeat(120), tags: ['a', 'b', 'c'] }
}

async function rate(client: MongoClient): Promise<number> {
  const collection = client.db('main').collection<Sample>('bench')
  const random = seededRandom(7)
  let left = operations
  const started = performance.now()
  const worker = async () => {
    while (left-- > 0) {
      const _id = Math.floor(random() * documents)
      const found = await collection.findOne({ _id })
      if (found?._id !== _id) throw new Error(`document ${_id} was not found`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return (operations / (performance.now() - started)) * 1000
}

async function p99(client: MongoClient): Promise<number> {
  const collection = client.db('main').collection<Sample>('bench')
  const load = rate(client)
  const times: number[] = []
  const random = seededRandom(11)
  for (let read = 0; read < 300; read++) {
    const started = performance.now()
    await collection.findOne({ _id: Math.floor(random() * documents) })
    times.push(performance.now() - started)
  }
  await load
  return percentile(times, 0.99)
}
