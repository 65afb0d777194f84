// Some test files in this process, one after another: to load Sigil costs a process more than most
// of the tests do. What a file has opened is closed before the next file is loaded.

import { once } from 'node:events'
import { pathToFileURL } from 'node:url'

const [, , ...names] = process.argv
// tap calls its folders of fixtures by the words of the command line, and all would be too long.
process.argv.splice(1, names.length + 1, ...names.slice(0, 1))
const { default: t } = await import('tap')

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
