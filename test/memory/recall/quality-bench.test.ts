// The bench of recall reads data that is not ours to keep, so it runs here on two invented talks,
// in each layout in which such data comes.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import t from 'tap'
import { readConversations } from '../../../bench/memory/locomo.js'
import { memoryQuality } from '../../../bench/memory/quality.js'

const garden = {
  speaker_a: 'Iris',
  speaker_b: 'Tomas',
  session_1_date_time: '9:10 am on 2 March, 2031',
  session_1: [
    { speaker: 'Iris', dia_id: 'D1:1', text: 'The beans came up overnight!' },
    { speaker: 'Tomas', dia_id: 'D1:2', text: 'Mine drowned.', blip_caption: 'a flooded bed' },
  ],
  session_10_date_time: '6:00 pm on 9 May, 2031',
  session_10: [{ speaker: 'Tomas', dia_id: 'D10:1', text: 'I bought a rain barrel.' }],
  session_2_date_time: '7:30 pm on 4 April, 2031',
  session_2: [{ speaker: 'Iris', dia_id: 'D2:1', text: 'Snails ate the lettuce.' }],
  session_3: '',
  session_1_summary: 'Beans.',
  events_session_1: { Iris: [] },
}
const gardenQuestions = [
  { question: 'What drowned in the flooded bed?', answer: 'beans', evidence: ['D1:1; D1:2'] },
  { question: 'Who bought a barrel?', evidence: ['D10:1', 'D99:1'], category: 4 },
  { question: 'Who won the lottery?', evidence: [] },
  { question: 'Who moved away?' },
]
const boats = {
  session_1_date_time: 'noon on 1 July, 2030',
  session_1: [{ speaker: 'Nia', dia_id: 'D1:1', text: 'The kayak leaks again.' }],
}
const boatQuestions = [{ question: 'Which boat leaks?', evidence: ['D1:1'] }]

const folder = t.testdir({
  'list.json': JSON.stringify([
    { conversation: garden, qa: gardenQuestions },
    { conversation: boats, qa: boatQuestions },
  ]),
  'one.json': JSON.stringify({ ...garden, qa: gardenQuestions }),
  talks: {
    '1.json': JSON.stringify({ ...garden, qa: gardenQuestions }),
    '2.json': JSON.stringify({ ...boats, qa: boatQuestions }),
    'notes.txt': 'no talk',
  },
  empty: {},
})

t.test('a list, one conversation and a folder are read alike', async () => {
  const list = readConversations(join(folder, 'list.json'))
  assert.equal(list.length, 2)
  assert.deepEqual(readConversations(join(folder, 'talks')), list)
  assert.deepEqual(readConversations(join(folder, 'one.json')), list.slice(0, 1))
})

t.test('turns stand in the order of their sessions, and say who spoke and when', async () => {
  const [{ turns, questions } = { turns: [], questions: [] }] = readConversations(
    join(folder, 'one.json'),
  )
  assert.deepEqual(
    turns.map(({ id, session }) => [id, session]),
    [
      ['D1:1', 'session_1'],
      ['D1:2', 'session_1'],
      ['D2:1', 'session_2'],
      ['D10:1', 'session_10'],
    ],
  )
  assert.equal(turns[1]?.text, 'Tomas, 9:10 am on 2 March, 2031: Mine drowned. [a flooded bed]')
  assert.deepEqual(
    questions.map(({ evidence }) => evidence),
    [['D1:1', 'D1:2'], ['D10:1']],
  )
})

t.test('a path without conversations is refused', async () => {
  assert.throws(() => readConversations(join(folder, 'empty')), /no conversations/)
})

t.test('the bench tells how much of what answers is found, beside its peer', async () => {
  const figures = await memoryQuality(join(folder, 'talks'))
  const figure = (name: string) => figures.find((one) => one.name.endsWith(name))
  const first = figure('recall@1 of 3 questions, q, k1 1.2, b 0.75')
  // One of two turns, and all of one, twice.
  assert.ok(Math.abs((first?.ours ?? 0) - 100 * (2.5 / 3)) < 1e-9, JSON.stringify(first))
  assert.equal(first?.ours, first?.peer)
  const linked = figure('recall@5 of 3 questions, q, neighbours 0.3, k1 0.9, b 0.4')
  assert.equal(linked?.ours, 100)
  assert.equal(figures.length % 4, 0)
  assert.ok(figures.every(({ ours, peer }) => ours > 0 && ours <= 100 && (peer ?? 0) > 0))
})
