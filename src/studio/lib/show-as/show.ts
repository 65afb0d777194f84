// "Show as": one query in the languages of Sigil's clients. Programs read where Sigil is, and the
// key, from the environment, so what is copied contains no secret.

import { curlOf } from './curl.js'
import { goOf, mongoshOf, nodeOf, pythonOf } from './drivers.js'
import type { Place, Query, Statement } from './query.js'
import { NotShown, quoteGo, quoteJs, quotePython, quoteSh } from './quote.js'
import { commandOf } from './redis.js'
import { noteOf, sqlOf } from './sql.js'

export const languages = ['mongosh', 'SQL', 'redis-cli', 'curl', 'Node', 'Python', 'Go'] as const

export type Language = (typeof languages)[number]

/** A text, or in one line why there is none. */
type Shown =
  | { readonly text: string; readonly note?: string | undefined }
  | { readonly reason: string }

export function showAs(language: Language, query: Query, place: Place): Shown {
  try {
    const text = textIn(language, query, place)
    const isSql = language === 'SQL' && query.kind !== 'sql' && query.kind !== 'command'
    return { text, note: isSql ? noteOf(query) : undefined }
  } catch (error) {
    if (error instanceof NotShown) return { reason: error.message }
    throw error
  }
}

function textIn(language: Language, query: Query, place: Place): string {
  if (language === 'curl') return curlOf(query, place)
  if (query.kind === 'sql' || query.kind === 'command') return statementIn(language, query)
  switch (language) {
    case 'mongosh':
      return mongoshOf(query)
    case 'SQL':
      return sqlOf(query)
    case 'redis-cli': {
      const { database, words } = commandOf(query)
      return redisCli(words, database)
    }
    case 'Node':
      return nodeOf(query)
    case 'Python':
      return pythonOf(query)
    case 'Go':
      return goOf(query)
  }
}

function redisCli(words: readonly string[], database: number): string {
  return `redis-cli -u "$SIGIL_REDIS_URL" -n ${database} ${words.map(quoteSh).join(' ')}`
}

function statementIn(language: Exclude<Language, 'curl'>, statement: Statement): string {
  const isSql = statement.kind === 'sql'
  if (language === 'mongosh') throw new NotShown('mongosh runs neither SQL nor Redis commands.')
  if (language === 'SQL') {
    if (isSql) return statement.text
    throw new NotShown('SQL runs no Redis commands.')
  }
  if (language === 'redis-cli') {
    if (!isSql) return redisCli(statement.words, 0)
    throw new NotShown('redis-cli runs no SQL.')
  }
  if (language === 'Node') return isSql ? nodeSql(statement.text) : nodeCommand(statement.words)
  if (language === 'Python') {
    return isSql ? pythonSql(statement.text) : pythonCommand(statement.words)
  }
  return isSql ? goSql(statement.text) : goCommand(statement.words)
}

function nodeSql(text: string): string {
  return `import pg from 'pg'

const client = new pg.Client(process.env.SIGIL_SQL_URL)
await client.connect()
const { rows } = await client.query(${quoteJs(text)})
console.log(rows)
await client.end()`
}

function nodeCommand(words: readonly string[]): string {
  return `import { createClient } from 'redis'

const client = await createClient({ url: process.env.SIGIL_REDIS_URL }).connect()
console.log(await client.sendCommand([${words.map(quoteJs).join(', ')}]))
client.destroy()`
}

function pythonSql(text: string): string {
  return `import os

import psycopg

with psycopg.connect(os.environ["SIGIL_SQL_URL"]) as connection:
    cursor = connection.execute(${quotePython(text)})
    print(cursor.fetchall() if cursor.description else cursor.rowcount)`
}

function pythonCommand(words: readonly string[]): string {
  return `import os

import redis

client = redis.Redis.from_url(os.environ["SIGIL_REDIS_URL"], decode_responses=True)
print(client.execute_command(${words.map(quotePython).join(', ')}))`
}

function goSql(text: string): string {
  return `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jackc/pgx/v5"
)

func main() {
	ctx := context.Background()
	connection, err := pgx.Connect(ctx, os.Getenv("SIGIL_SQL_URL"))
	check(err)
	defer connection.Close(ctx)
	rows, err := connection.Query(ctx, ${quoteGo(text)})
	check(err)
	for rows.Next() {
		values, err := rows.Values()
		check(err)
		fmt.Println(values...)
	}
	check(rows.Err())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}`
}

function goCommand(words: readonly string[]): string {
  return `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/redis/go-redis/v9"
)

func main() {
	options, err := redis.ParseURL(os.Getenv("SIGIL_REDIS_URL"))
	if err != nil {
		log.Fatal(err)
	}
	client := redis.NewClient(options)
	reply, err := client.Do(context.Background(), ${words.map(quoteGo).join(', ')}).Result()
	fmt.Println(reply, err)
}`
}
