// The examples of ioredis on Sigil, on a real server where one is installed, and on ioredis-mock where
// that answers as Redis does: an application's tests with the mock hold on Sigil too.

import { Redis } from 'ioredis'
import t from 'tap'
import { RedisServer, redisServerMissing } from '../protocol/resp/redis-server.js'
import { startGateway } from '../support/live-gateway.js'
import { loadTool, toolMissing } from '../support/tools.js'
import { examples } from './ioredis-examples.js'

t.test('on Sigil', async (t) => {
  const { ports, key } = await startGateway(t)
  const redis = new Redis({ port: ports.redis, password: key })
  t.teardown(() => redis.disconnect())
  for (const { name, run } of examples) {
    await redis.flushall()
    await t.test(name, (t) => run(t, redis))
  }
})

const skip = (await redisServerMissing()) ?? false
t.test('on the real server', { skip }, async (t) => {
  const server = await RedisServer.open()
  t.teardown(() => server.close())
  const redis = new Redis({ port: server.port })
  t.teardown(() => redis.disconnect())
  for (const { name, run } of examples) {
    // Scripts and streams are there.
    if (name === 'what needs scripts or streams') continue
    await redis.flushall()
    await t.test(name, (t) => run(t, redis))
  }
})

const noMock = await toolMissing('ioredis-mock')
t.test('on ioredis-mock', { skip: noMock }, async (t) => {
  const Mock = (await loadTool('ioredis-mock', 'ioredis-mock')) as typeof Redis
  for (const { name, run, notMocked } of examples) {
    const redis = new Mock()
    await redis.flushall()
    await t.test(name, { skip: notMocked ?? false }, (t) => run(t, redis))
    redis.disconnect()
  }
})
