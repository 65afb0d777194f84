// What mongosh is recorded with: the commands of a first visit. Runs inside mongosh.

/* global db, print, show, use */
print(db.version())
use('test')
show('dbs')
db.cities.insertMany([
  { _id: 1, name: 'Lima', population: 10 },
  { _id: 2, name: 'Oslo', population: 1 },
])
db.cities
  .find({ population: { $gt: 5 } })
  .sort({ name: 1 })
  .toArray()
db.cities.createIndex({ population: 1 })
db.cities.getIndexes()
db.cities.find({ population: { $gt: 5 } }).explain()
db.cities.updateOne({ _id: 2 }, { $inc: { population: 1 } })
db.cities.countDocuments()
db.cities.estimatedDocumentCount()
db.cities.distinct('name')
db.cities.aggregate([{ $sort: { population: -1 } }, { $limit: 1 }]).toArray()
db.cities.stats()
db.stats()
show('collections')
db.cities.dropIndex('population_1')
db.cities.deleteOne({ _id: 1 })
db.cities.drop()
