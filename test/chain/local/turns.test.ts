// Turns over a state: one at a time, Sigil's own first, and the event loop goes round in between.

import t from 'tap'
import { type Rank, Turns } from '../../../src/chain/local/turns.js'

t.test('one at a time, in order, own before others', async (t) => {
  const turns = new Turns()
  const order: string[] = []
  let running = 0
  const work = (rank: Rank, name: string) =>
    turns.take(rank, async () => {
      t.equal(++running, 1)
      await new Promise((resolve) => setImmediate(resolve))
      order.push(name)
      running--
    })
  await Promise.all([
    work('other', 'other 1'),
    work('other', 'other 2'),
    work('own', 'own 1'),
    work('own', 'own 2'),
  ])
  t.same(order, ['own 1', 'own 2', 'other 1', 'other 2'])
})

t.test('what fails gives its turn away', async (t) => {
  const turns = new Turns()
  const failing = turns.take('own', () => Promise.reject(new Error('no')))
  const next = turns.take('other', async () => 'done')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'done')
})

t.test('between turns the event loop goes round, even where each comes by itself', async (t) => {
  const turns = new Turns()
  let rounds = 0
  let isOver = false
  const round = () => {
    rounds++
    if (!isOver) setImmediate(round)
  }
  setImmediate(round)
  for (let i = 0; i < 50; i++) await turns.take('own', async () => undefined)
  isOver = true
  t.ok(rounds >= 49, `${rounds} rounds for 50 turns`)
})
