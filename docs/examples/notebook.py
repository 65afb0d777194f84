# %% [markdown]
# A notebook over one Sigil: pymongo writes documents, psycopg reads them with SQL, and both see the
# same data. Open it in Jupyter or VS Code (cells begin with `# %%`), or run it as a script.
#
#     pip install pymongo 'psycopg[binary]'
#     SIGIL_API_KEY=svc_op_… python docs/examples/notebook.py

# %%
import datetime
import os

import psycopg
from pymongo import MongoClient
from pymongo.errors import DuplicateKeyError

user = os.environ.get('SIGIL_USER', 'operator')
key = os.environ['SIGIL_API_KEY']
wire = os.environ.get('SIGIL_WIRE', '127.0.0.1:27017')
sql = os.environ.get('SIGIL_SQL', '127.0.0.1:5432')

# %% Documents in
client = MongoClient(f'mongodb://{user}:{key}@{wire}/main')
readings = client['main']['notebook_readings']
readings.drop()
start = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
readings.insert_many(
    {
        '_id': n,
        'sensor': 'abc'[n % 3],
        'at': start + datetime.timedelta(minutes=10 * n),
        'value': (n * n) % 17,
    }
    for n in range(300)
)
readings.create_index([('sensor', 1), ('at', -1)])
print(readings.count_documents({}), 'readings')

# %% The same documents with SQL. autocommit: each statement commits by itself.
with psycopg.connect(f'postgresql://{user}:{key}@{sql}/main', autocommit=True) as connection:
    rows = connection.execute(
        'SELECT sensor, count(*) AS n, avg(value) AS mean FROM notebook_readings '
        'WHERE value > %s GROUP BY sensor ORDER BY sensor',
        (3,),
    ).fetchall()
    for sensor, n, mean in rows:
        print(sensor, n, round(mean, 2))

    # Written with SQL, read as a document.
    connection.execute('UPDATE notebook_readings SET value = 0 WHERE _id = %s', (7,))
print(readings.find_one({'_id': 7})['value'])

# %% A rule of one side holds on the other.
readings.create_index('at', unique=True)
try:
    readings.insert_one({'_id': 1000, 'at': start})
except DuplicateKeyError as error:
    print('refused:', error.code)
with psycopg.connect(f'postgresql://{user}:{key}@{sql}/main', autocommit=True) as connection:
    try:
        connection.execute('INSERT INTO notebook_readings (_id, at) VALUES (1001, %s)', (start,))
    except psycopg.errors.UniqueViolation as error:
        print('refused:', error.sqlstate)

# %%
readings.drop()
client.close()
