// Queries as mongosh, and as whole programs of Node, Python and Go. Values that JSON and the
// language have in common are literals; all others are Extended JSON, so that each keeps its type.

import type { Ejson } from '../ejson.js'
import { type DocumentQuery, fieldsOf, filterOf, orderOf } from './query.js'
import { exactJson, js, literal, NotShown, python, quoteGo, quoteJs, quotePython } from './quote.js'

/** What each of the languages says of a query, in its own words. */
interface Parts {
  readonly filter?: Ejson
  readonly projection?: Ejson
  readonly order?: readonly (readonly [string, 1 | -1])[]
  readonly limit?: number
  readonly document?: Ejson
}

function partsOf(query: DocumentQuery): Parts {
  switch (query.kind) {
    case 'find': {
      const fields = fieldsOf(query)
      return {
        filter: filterOf(query),
        order: orderOf(query),
        limit: query.limit,
        ...(fields.length === 0
          ? {}
          : { projection: Object.fromEntries(fields.map((name) => [name, 1])) }),
      }
    }
    case 'insert':
      return { document: exactJson(query.document, 'document') }
    case 'replace':
      return { filter: { _id: query.id }, document: exactJson(query.document, 'document') }
    case 'update':
      return { filter: { _id: query.id }, document: { $set: exactJson(query.set, 'change') } }
    case 'delete':
      return { filter: { _id: query.id } }
  }
}

/** Numbers and times come as what the text says they are. */
const typed = 'json_options=json_util.CANONICAL_JSON_OPTIONS'

const methods = {
  insert: 'insertOne',
  replace: 'replaceOne',
  update: 'updateOne',
  delete: 'deleteOne',
} as const

/** Names in a sort of JavaScript are in an object. */
function requireOrder(order: readonly (readonly [string, number])[]): void {
  if (order.some(([name]) => /^\d+$/.test(name) || name === '__proto__')) {
    throw new NotShown('JavaScript would change the order of names that are numbers.')
  }
}

export function mongoshOf(query: DocumentQuery): string {
  const value = (one: Ejson) =>
    literal(one, js) ?? `EJSON.parse(${quoteJs(JSON.stringify(one))}, { relaxed: false })`
  const call = callJs(query, value, (projection) => projection)
  return `db.getCollection(${quoteJs(query.collection)}).${call}`
}

export function nodeOf(query: DocumentQuery): string {
  const value = (one: Ejson) =>
    literal(one, js) ?? `BSON.EJSON.parse(${quoteJs(JSON.stringify(one))}, { relaxed: false })`
  const call = callJs(query, value, (projection) => ({ projection }))
  const shown = query.kind === 'find' ? `${call}.toArray()` : call
  const imports = shown.includes('BSON.EJSON') ? 'BSON, MongoClient' : 'MongoClient'
  return `import { ${imports} } from 'mongodb'

const client = await MongoClient.connect(process.env.SIGIL_URI)
const collection = client.db().collection(${quoteJs(query.collection)})
console.log(await collection.${shown})
await client.close()`
}

function callJs(
  query: DocumentQuery,
  value: (one: Ejson) => string,
  /** Where a find has its projection. */
  second: (projection: Ejson) => Ejson,
): string {
  const { filter, projection, order = [], limit, document } = partsOf(query)
  if (query.kind !== 'find') {
    const given = [filter, document].filter((one) => one !== undefined)
    // The route that saves a document adds it if it is missing.
    const options = query.kind === 'replace' ? ', { upsert: true }' : ''
    return `${methods[query.kind]}(${given.map(value).join(', ')}${options})`
  }
  requireOrder(order)
  const sort = order.length === 0 ? '' : `.sort(${value(Object.fromEntries(order))})`
  const given = [filter ?? {}, ...(projection === undefined ? [] : [second(projection)])].map(value)
  return `find(${given.join(', ')})${sort}.limit(${limit})`
}

export function pythonOf(query: DocumentQuery): string {
  const { filter, projection, order = [], limit, document } = partsOf(query)
  const value = (one: Ejson) =>
    literal(one, python) ?? `json_util.loads(${quotePython(JSON.stringify(one))}, ${typed})`
  const given = [filter, projection, document].filter((one) => one !== undefined).map(value)
  const head = `import os

from bson import json_util
from pymongo import MongoClient

database = MongoClient(os.environ["SIGIL_URI"]).get_default_database()
collection = database[${quotePython(query.collection)}]`
  if (query.kind !== 'find') {
    const name = methods[query.kind].replace('One', '_one')
    const options = query.kind === 'replace' ? ', upsert=True' : ''
    return `${head}\nprint(collection.${name}(${given.join(', ')}${options}).raw_result)`.replace(
      /\(collection\.insert_one\((.*)\)\.raw_result\)$/s,
      '(collection.insert_one($1).inserted_id)',
    )
  }
  const pairs = order.map(([name, way]) => `(${quotePython(name)}, ${way})`).join(', ')
  const sort = order.length === 0 ? '' : `.sort([${pairs}])`
  return `${head}
for document in collection.find(${given.join(', ')})${sort}.limit(${limit}):
    print(json_util.dumps(document))`
}

export function goOf(query: DocumentQuery): string {
  const { filter, projection, order = [], limit, document } = partsOf(query)
  const value = (one: Ejson) => `document(${quoteGo(JSON.stringify(one))})`
  const given = [filter, document].filter((one) => one !== undefined).map(value)
  const keys = order.map(([name, way]) => `{Key: ${quoteGo(name)}, Value: ${way}}`)
  const options = [
    ...(projection === undefined ? [] : [`.SetProjection(${value(projection)})`]),
    ...(order.length === 0 ? [] : [`.SetSort(bson.D{${keys.join(', ')}})`]),
    `.SetLimit(${limit})`,
  ]
  const all = given.join(', ')
  const name = query.kind === 'find' ? '' : methods[query.kind]
  const method = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const upsert = query.kind === 'replace' ? ', options.Replace().SetUpsert(true)' : ''
  const run =
    query.kind === 'find'
      ? `	cursor, err := collection.Find(ctx, ${all}, options.Find()${options.join('')})
	check(err)
	for cursor.Next(ctx) {
		fmt.Println(cursor.Current)
	}
	check(cursor.Err())`
      : `	result, err := collection.${method}(ctx, ${all}${upsert})
	check(err)
	fmt.Printf("%+v\\n", result)`
  return goProgram(quoteGo(query.collection), run)
}

function goProgram(collection: string, run: string): string {
  return `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func main() {
	ctx := context.Background()
	client, err := mongo.Connect(options.Client().ApplyURI(os.Getenv("SIGIL_URI")))
	check(err)
	defer client.Disconnect(ctx)
	collection := client.Database(os.Getenv("SIGIL_DATABASE")).Collection(${collection})
${run}
}

func document(text string) (document bson.D) {
	check(bson.UnmarshalExtJSON([]byte(text), false, &document))
	return document
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}`
}
