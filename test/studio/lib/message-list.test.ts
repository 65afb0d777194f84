// The messages of channels that the page keeps, and what it says of the others.

import t from 'tap'
import { MessageList, watchPath } from '../../../src/studio/lib/message-list.js'

t.test('a second shows 50 messages, and says how many it left out', async (t) => {
  const list = new MessageList()
  for (let n = 0; n < 60; n++) list.add({ channel: 'news', message: String(n) }, 5_000 + n)
  t.equal(list.kept.length, 50)
  t.equal(list.total, 60)
  t.equal(list.missing, 'Not shown: 10 left out, as more than 50 came in a second.')
  list.add({ channel: 'news', message: 'later' }, 6_000)
  t.match(list.kept[0], { message: 'later', number: 61 })
})

t.test('the newest 200 are kept', async (t) => {
  const list = new MessageList()
  for (let n = 0; n < 230; n++) list.add({ channel: 'news', message: String(n) }, 1_000 * n)
  t.equal(list.kept.length, 200)
  t.match([list.kept[0], list.kept.at(-1)], [{ message: '229' }, { message: '30' }])
  t.equal(list.missing, 'Not shown: 30 older.')
  list.clear()
  t.equal(list.missing, '')
})

t.test('names with *, ? or [ are patterns', async (t) => {
  t.equal(
    watchPath(' news, orders.*,log[12] '),
    '/api/v1/redis/stream?channels=news&patterns=orders.*%2Clog%5B12%5D',
  )
  t.equal(watchPath(' , '), undefined)
})
