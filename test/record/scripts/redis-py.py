# What redis-py says from its first byte on, in both versions of the protocol.
import sys
import redis

port, key = int(sys.argv[1]), sys.argv[2]
for protocol in (2, 3):
    client = redis.Redis(port=port, username='operator', password=key, db=1, protocol=protocol)
    client.set('a', '1', ex=1000)
    client.incr('a')
    client.hset('h', mapping={'f': 'v'})
    assert client.hgetall('h') == {b'f': b'v'}
    with client.pipeline() as pipe:
        pipe.incr('a').get('a').execute()
    client.flushdb()
    subscriber = client.pubsub()
    subscriber.subscribe('news')
    assert subscriber.get_message(timeout=5)['type'] == 'subscribe'
    client.publish('news', 'hello')
    assert subscriber.get_message(timeout=5)['data'] == b'hello'
    subscriber.close()
    client.close()
