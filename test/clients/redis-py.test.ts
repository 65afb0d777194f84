// redis-py, unmodified, in the Python that SIGIL_PYTHON names, in both versions of the protocol; and
// the older one that distributions ship, in the folder that SIGIL_REDIS_PY_4 names.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'

const run = promisify(execFile)
const python = process.env.SIGIL_PYTHON ?? 'python3'
const older = process.env.SIGIL_REDIS_PY_4

const script = `
import sys, threading
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from redis.exceptions import AuthenticationError, ResponseError, WatchError

port, key = int(sys.argv[1]), sys.argv[2]
options = dict(port=port, username='operator', password=key)
is_new = int(redis.__version__.split('.')[0]) >= 5

def session(**more):
    r = redis.Redis(db=2, decode_responses=True, **options, **more)
    r.flushdb()
    assert r.ping() is True
    assert r.set('a', 1, ex=100, nx=True) is True
    assert r.set('a', 1, nx=True) is None
    assert r.incr('a', 41) == 42 and r.decr('a') == 41
    assert 0 < r.ttl('a') <= 100 and r.persist('a') and r.ttl('a') == -1
    assert r.mset({'b': 'x', 'c': 'y'}) and r.mget('a', 'none', 'b') == ['41', None, 'x']
    assert r.incrbyfloat('f', 1.5) == 1.5
    assert r.append('b', 'yz') == 3 and r.getrange('b', 1, -1) == 'yz'
    assert r.hset('h', mapping={'f': 'v', 'g': 'w'}) == 2
    assert r.hgetall('h') == {'f': 'v', 'g': 'w'} and r.hincrby('h', 'n', 3) == 3
    assert r.rpush('l', 'x', 'y', 'z') == 3 and r.lrange('l', 0, -1) == ['x', 'y', 'z']
    assert r.lpop('l') == 'x' and r.lpop('l', 2) == ['y', 'z'] and r.exists('l') == 0
    assert r.sadd('s', 'm', 'n') == 2 and r.smembers('s') == {'m', 'n'}
    assert r.zadd('z', {'one': 1, 'two': 2.5}) == 2
    pairs = r.zrange('z', 0, -1, withscores=True)
    assert [(member, score) for member, score in pairs] == [('one', 1.0), ('two', 2.5)], pairs
    assert r.zscore('z', 'two') == 2.5 and r.zincrby('z', 1, 'one') == 2.0
    assert r.zrangebyscore('z', '-inf', '(2.5') == ['one']
    assert sorted(r.scan_iter(match='?')) == sorted(['a', 'b', 'c', 'f', 'h', 's', 'z'])
    assert dict(r.hscan_iter('h')) == {'f': 'v', 'g': 'w', 'n': '3'}
    assert r.type('z') == 'zset' and r.object('encoding', 'a') == 'int'
    assert r.setbit('bits', 7, 1) == 0 and r.bitcount('bits') == 1
    assert r.sort('s', alpha=True, desc=True) == ['n', 'm']
    assert r.dbsize() == 8 and r.info()['redis_version'] == '7.0.15'
    assert r.config_get('maxmemory-policy') == {'maxmemory-policy': 'noeviction'}
    assert 'id' in r.client_list()[0] and len(r.time()) == 2
    try:
        r.lpush('a', 'x')
        raise AssertionError('a push to a string was taken')
    except ResponseError as error:
        assert str(error).startswith('WRONGTYPE'), error
    with r.pipeline() as pipe:
        assert pipe.set('p', 1).incr('p').get('p').execute() == [True, 2, '2']
    with r.pipeline(transaction=False) as pipe:
        assert pipe.set('p', 1).lpush('p', 'x').get('p').execute(raise_on_error=False)[2] == '1'
    with r.pipeline() as pipe:
        pipe.watch('p')
        r.set('p', 'changed')
        pipe.multi()
        pipe.set('p', 'mine')
        try:
            pipe.execute()
            raise AssertionError('a watched key had changed')
        except WatchError:
            pass
    assert r.transaction(lambda pipe: pipe.multi() or pipe.incr('t'), 't') == [1]
    subscriber = r.pubsub()
    subscriber.subscribe('news')
    subscriber.psubscribe('w*')
    kinds = [subscriber.get_message(timeout=5)['type'] for _ in range(2)]
    assert kinds == ['subscribe', 'psubscribe'], kinds
    assert r.publish('news', 'hello') == 1 and r.publish('weather', 'rain') == 1
    assert subscriber.get_message(timeout=5)['data'] == 'hello'
    assert subscriber.get_message(timeout=5)['pattern'] == 'w*'
    subscriber.unsubscribe()
    subscriber.punsubscribe()
    subscriber.close()
    popped = []
    waiter = threading.Thread(target=lambda: popped.append(r.blpop('queue', 10)))
    waiter.start()
    r.rpush('queue', 'job')
    waiter.join()
    assert [list(each) for each in popped] == [['queue', 'job']], popped
    assert r.blpop('queue', 0.01) is None
    with r.monitor() as monitor:
        r.set('seen', 'b c')
        assert next(monitor.listen())['command'] == 'SET seen b c'
    # Scripts are not there: the peer's error for a command that it does not know.
    for command in (lambda: r.eval('return 1', 0), lambda: r.xadd('x', {'f': 'v'})):
        try:
            command()
            raise AssertionError('it is not there')
        except ResponseError as error:
            assert 'unknown command' in str(error), error
    r.close()

session()
if is_new:
    session(protocol=3)
binary = redis.Redis(**options)
assert binary.set(b'\\xff\\x00', b'\\x80\\r\\n') and binary.get(b'\\xff\\x00') == b'\\x80\\r\\n'
try:
    # Once: each further failure has to wait longer.
    once = Retry(NoBackoff(), 0)
    redis.Redis(port=port, password='wrong', retry=once, socket_timeout=60).ping()
    raise AssertionError('a wrong key was taken')
except (AuthenticationError, ResponseError):
    pass
url = redis.from_url('redis://operator:%s@127.0.0.1:%d/3' % (key, port))
assert url.set('a', '1') and url.get('a') == b'1'
print('fine', redis.__version__)
`

for (const [title, folder] of [
  ['redis-py', undefined],
  ['redis-py 4, as distributions ship it', older],
] as const) {
  t.test(`${title}: a session of everyday commands`, async (t) => {
    const env = folder === undefined ? process.env : { ...process.env, PYTHONPATH: folder }
    const isOlder = title !== 'redis-py'
    const found =
      !(isOlder && folder === undefined) &&
      (await run(python, ['-c', 'import redis'], { env }).then(
        () => true,
        () => false,
      ))
    if (!found) {
      t.notOk(process.env.CI, 'CI installs redis-py')
      t.comment(`skipped: no redis-py in ${python}; SIGIL_PYTHON names a Python that has it`)
      return
    }
    const { ports, key } = await startGateway(t)
    const argv = ['-c', script, String(ports.redis), key]
    const { stdout } = await run(python, argv, { env, timeout: 120_000 })
    t.match(stdout.trim(), isOlder ? /^fine 4\./ : /^fine [5-9]\./)
  })
}
