// Some test files in this process, one after another: to load Sigil costs a process more than most
// of the tests do. What a file has opened is closed before the next file is loaded.

import asyncHooks from 'node:async_hooks'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { pathToFileURL } from 'node:url'

const [, , ...names] = process.argv
// tap calls its folders of fixtures by the words of the command line, and all would be too long.
process.argv.splice(1, names.length + 1, ...names.slice(0, 1))
// tap follows every promise, to tell which test has left an error uncaught: up to a sixth of the
// time. Here such an error ends the process, and the suite tells the file and goes on behind it.
const { createHook } = asyncHooks
const unused = createHook({})
asyncHooks.createHook = () => ({ enable: () => unused, disable: () => unused })
syncBuiltinESMExports()
const { default: t } = await import('tap')
asyncHooks.createHook = createHook
syncBuiltinESMExports()

const ends: (() => unknown)[] = []
// tap would keep these for the end of the process.
t.teardown = (end) => {
  ends.push(end)
}

// One file's bound would be the bound of all files after it, and a slow machine would exceed it.
// The suite bounds the process.
t.setTimeout = () => undefined

for (const name of names) {
  t.comment(name)
  await import(pathToFileURL(name).href)
  if (!t.idle) await once(t, 'idle')
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
}
