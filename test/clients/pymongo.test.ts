// pymongo 4, in the Python that SIGIL_PYTHON names: another implementation of the protocol, which
// checks response ids, int64 cursors and numeric types more strictly than the Node driver.

import t from 'tap'
import { runPymongo } from '../support/pymongo.js'

const script = `
import sys, datetime
from bson import ObjectId, Decimal128, Int64
from pymongo import MongoClient, InsertOne, UpdateOne, DeleteOne, ASCENDING, DESCENDING
from pymongo.errors import BulkWriteError, DuplicateKeyError, OperationFailure

client = MongoClient(sys.argv[1])
db = client['py']
assert client.server_info()['version'].startswith('7.0')
rows = db['rows']
assert rows.insert_one({'_id': 1, 'n': 1}).inserted_id == 1
rows.insert_many([{'_id': i, 'n': i, 'tags': ['a', str(i)]} for i in range(2, 500)])
try:
    rows.insert_one({'_id': 1})
    raise AssertionError('a duplicate was taken')
except DuplicateKeyError as error:
    assert error.details['keyValue'] == {'_id': 1}, error.details
assert rows.count_documents({}) == 499
assert [row['_id'] for row in rows.find(batch_size=9).sort('_id', DESCENDING)] == list(range(499, 0, -1))
assert rows.create_index([('n', ASCENDING), ('tags', DESCENDING)]) == 'n_1_tags_-1'
assert rows.find({'n': 7}).explain()['queryPlanner']['winningPlan']['stage'] == 'FETCH'
result = rows.bulk_write([InsertOne({'_id': 1000}), UpdateOne({'_id': 1}, {'$set': {'n': 5}}),
    UpdateOne({'_id': 1001}, {'$set': {'n': 5}}, upsert=True), DeleteOne({'_id': 2})])
assert (result.inserted_count, result.modified_count, result.upserted_count, result.deleted_count) == (1, 1, 1, 1)
try:
    rows.bulk_write([InsertOne({'_id': 2000}), InsertOne({'_id': 1}), InsertOne({'_id': 2001})], ordered=False)
    raise AssertionError('a duplicate was taken')
except BulkWriteError as error:
    assert error.details['nInserted'] == 2, error.details
assert rows.find_one_and_update({'_id': 3}, {'$inc': {'n': 1}}, return_document=True)['n'] == 4
assert sorted(rows.distinct('n', {'_id': {'$lt': 5}})) == [4, 5]
total = list(rows.aggregate([{'$match': {'_id': {'$lte': 4}}}, {'$group': {'_id': None, 's': {'$sum': '$_id'}}}]))
assert total == [{'_id': None, 's': 8}], total
moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 6000)
kept = {'_id': ObjectId(), 'long': Int64(2 ** 60), 'decimal': Decimal128('1.10'), 'at': moment, 'bytes': b'\\0\\1'}
db['types'].insert_one(kept)
assert db['types'].find_one({'_id': kept['_id']}) == kept
try:
    rows.find_one({'a': {'$foo': 1}})
    raise AssertionError('an unknown operator was taken')
except OperationFailure as error:
    assert error.code == 2, error.details
assert sorted(db.list_collection_names()) == ['rows', 'types']
with client.start_session() as session:
    rows.insert_one({'_id': 5000}, session=session)
rows.drop()
client.drop_database('py')
assert 'py' not in client.list_database_names()
client.close()

zlib = MongoClient(sys.argv[1], compressors='zlib')
zlib['py']['z'].insert_many([{'_id': i, 'text': 'x' * 1000} for i in range(100)])
assert len(list(zlib['py']['z'].find())) == 100
zlib.close()
print('fine')
`

t.test('a session of everyday commands', (t) => runPymongo(t, script))

const exhaust = `
import sys
from pymongo import MongoClient, CursorType

client = MongoClient(sys.argv[1], heartbeatFrequencyMS=500)
rows = client['py']['exhaust']
rows.insert_many([{'_id': i, 'x': 'y' * 100} for i in range(5000)])
found = rows.find(cursor_type=CursorType.EXHAUST, batch_size=100)
assert [row['_id'] for row in found] == list(range(5000))
left = rows.find(cursor_type=CursorType.EXHAUST, batch_size=100)
next(left)
left.close()
assert rows.count_documents({}) == 5000
client.close()
print('fine')
`

// pymongo asks a router for a newer version before it opens one.
t.test('pymongo reads exhaust cursors, and leaves one', (t) =>
  runPymongo(t, exhaust, { TOPOLOGY: 'standalone' }),
)
