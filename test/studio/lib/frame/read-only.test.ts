// The page's lock against changes: what it lets through, and what it refuses before it is sent.

import t from 'tap'
import { mayChange } from '../../../../src/studio/lib/frame/read-only.js'

const sql = (query: string) => mayChange('POST', '/api/v1/sql', JSON.stringify({ query }))
const redis = (...command: readonly string[]) =>
  mayChange('POST', '/api/v1/redis', JSON.stringify({ command }))

t.test('reading passes', async (t) => {
  t.notOk(mayChange('GET', '/api/v1/collections'))
  t.notOk(mayChange('POST', '/api/v1/collections/books/count', '{}'))
  t.notOk(mayChange('POST', '/api/v1/collections/kv0/aggregate', '{"pipeline":[{"$match":{}}]}'))
  t.notOk(mayChange('POST', '/api/v1/auth/logout', '{}'), 'access can always be ended')
  for (const route of ['verify', 'preview', 'graph/nodes']) {
    t.notOk(mayChange('POST', `/api/${route}?`, '{}'), route)
  }
  t.notOk(mayChange('POST', '/api/verify?graph=a', '{}'))
  t.notOk(sql('SELECT * FROM books'))
  t.notOk(sql("select title from books where note = 'delete; into'"))
  t.notOk(sql('EXPLAIN SELECT 1'))
  t.notOk(redis('get', 'a'))
  t.notOk(redis('SCAN', '0', 'MATCH', 'a*'))
})

t.test('what changes, or might, is refused', async (t) => {
  for (const method of ['PUT', 'PATCH', 'DELETE']) t.ok(mayChange(method, '/api/v1/x'), method)
  t.ok(mayChange('POST', '/api/v1/collections/books/insertOne', '{}'))
  t.ok(mayChange('POST', '/api/v1/transactions', '{}'))
  t.ok(mayChange('POST', '/api/memories', '{}'))
  for (const route of ['memories', 'memories/batch', 'anchor', 'edges']) {
    t.ok(mayChange('POST', `/api/${route}?`, '{}'), route)
  }
  t.ok(mayChange('POST', '/api/v1/unknown', '{}'), 'an unknown route')
  t.ok(mayChange('POST', '/api/v1/collections/a/aggregate', '{"pipeline":[{"$out":"b"}]}'))
  t.ok(sql('DELETE FROM books'))
  t.ok(sql('WITH gone AS (DELETE FROM books RETURNING *) SELECT * FROM gone'))
  t.ok(sql('EXPLAIN ANALYZE UPDATE books SET a = 1'))
  t.ok(sql("SELECT nextval('s')"))
  t.ok(sql('SELECT * INTO other FROM books'))
  t.ok(redis('SET', 'a', '1'))
  t.ok(redis('PUBLISH', 'news', 'x'))
  t.ok(redis('EVAL', 'x', '0'))
  t.ok(redis())
})
