// `npm run tools`: installs the packages of test/tools before a test asks for them, for CI and for work
// without a network.

import { type Tool, toolFolder } from './tools.js'

const tools: readonly Tool[] = [
  'applications',
  'browser',
  'ioredis-mock',
  'mongosh',
  'node-22',
  'node-24',
  'node-sql-parser',
  'postgres',
  'redis-6',
  'solc',
]

for (const name of tools) process.stdout.write(`${await toolFolder(name)}\n`)
