// Stores of known pairs and bits of their pages to flip: in each kind of page that a state uses,
// and in each part of it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { idKey, keyClass } from '../../src/store/layout.js'
import { PageBuffer, PageFile, tablesPath } from '../../src/store/pages/page-file.js'
import {
  childOf,
  nodeCount,
  overflowOf,
  pageBytes,
  type Tree,
} from '../../src/store/pages/page-format.js'
import type { Entry } from '../../src/store/store.js'

export type FlipRequest =
  | { readonly kind: 'stopped'; readonly path: string }
  /** Opens and reads them. */
  | { readonly kind: 'open'; readonly paths: readonly string[] }
  /** Waits until their pages were gone through, reads them and closes them. */
  | { readonly kind: 'flipped' }

/** Of a store: what it answered that is not so, and what it named. */
export interface FlipFinding {
  readonly wrong: readonly string[]
  readonly named: readonly string[]
}

const records = 8_000
const entries = 3_000

/** In key order: records of several sizes, some in pages of their own, and entries. */
export function flippedPairs(): Entry[] {
  const pairs: Entry[] = []
  for (let number = 0; number < records; number++) {
    const bytes = number % 500 === 0 ? 9_000 : 60 + (number % 80)
    const value = new Uint8Array(bytes).fill(number)
    pairs.push({ key: idKey(keyClass.record, 7, tail(number)), value })
  }
  for (let number = 0; number < entries; number++) {
    pairs.push({ key: idKey(keyClass.entry, 3, tail(number)), value: tail(number) })
  }
  return pairs
}

function tail(number: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setUint32(4, number)
  return bytes
}

type PageKind = 'leaf' | 'branch' | 'overflow' | 'free' | 'first'

/** The pages that the newest state uses, by kind. */
function livePages(folder: string): Record<PageKind, number[]> {
  const pages: Record<PageKind, number[]> = {
    leaf: [],
    branch: [],
    overflow: [],
    free: [],
    first: [0, 1],
  }
  const file = PageFile.open(folder)
  const metas = file.metas()
  if (typeof metas === 'number') throw new Error('the tables cannot be read')
  const walk = (page: number, height: number, isFree: boolean): void => {
    const buffer = new PageBuffer()
    file.read(page, 1, buffer)
    pages[isFree ? 'free' : height === 1 ? 'leaf' : 'branch'].push(page)
    for (let index = 0; index < nodeCount(buffer.bytes); index++) {
      if (height > 1) walk(childOf(buffer.bytes, index), height - 1, isFree)
      else {
        const ref = overflowOf(buffer.bytes, index)
        for (let more = 0; more < (ref?.pages ?? 0); more++)
          pages.overflow.push((ref?.page ?? 0) + more)
      }
    }
  }
  const of = ({ root, depth }: Tree, isFree: boolean) =>
    root !== undefined && walk(root, depth, isFree)
  of(metas.newest.pairs, false)
  of(metas.newest.free, true)
  file.close()
  return pages
}

/** Flips a bit of some live page; says where. */
export function flipSome(folder: string, number: number, random: () => number): string {
  const pages = livePages(folder)
  const kinds: PageKind[] = [
    'leaf',
    'branch',
    'leaf',
    'overflow',
    'branch',
    'leaf',
    'free',
    'leaf',
    'first',
  ]
  const kind = kinds[number % kinds.length] as PageKind
  const pool = pages[kind].length > 0 ? pages[kind] : pages.leaf
  const page = pool[Math.floor(random() * pool.length)] as number
  const file = openSync(tablesPath(folder), 'r+')
  try {
    const bytes = Buffer.alloc(pageBytes)
    readSync(file, bytes, 0, pageBytes, page * pageBytes)
    const at = placeIn(bytes, kind, number, random)
    const bit = Math.floor(random() * 8)
    writeSync(file, Uint8Array.of((bytes[at] ?? 0) ^ (1 << bit)), 0, 1, page * pageBytes + at)
    return `flip ${number}: ${kind} page ${page}, byte ${at}, bit ${bit}`
  } finally {
    closeSync(file)
  }
}

/** In turns: in the header, in a pointer, in a node. */
function placeIn(bytes: Buffer, kind: PageKind, number: number, random: () => number): number {
  const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)]
  if (kind === 'first') return Math.floor(random() * 168)
  if (kind === 'overflow') return Math.floor(random() * pageBytes)
  const part = Math.floor(number / 3) % 3
  if (part === 0) return Math.floor(random() * 24)
  if (part === 1) return 24 + Math.floor(random() * lower)
  return 24 + upper + Math.floor(random() * (pageBytes - 24 - upper))
}

/** Answers of a process that may die; then the answer is undefined, and the next has a new one. */
export class FlipReader {
  private child: ReturnType<typeof start> | undefined

  async ask(request: FlipRequest): Promise<FlipFinding[] | undefined> {
    this.child ??= start()
    const { child, lines } = this.child
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const line = await lines.next()
    if (line.done !== true) return JSON.parse(line.value) as FlipFinding[]
    this.child = undefined
    return undefined
  }

  async close(): Promise<void> {
    const { child } = this.child ?? {}
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.stdin.end()
    await gone
  }
}

function start() {
  const path = fileURLToPath(new URL('./flips-child.js', import.meta.url))
  const child = spawn(process.execPath, ['--enable-source-maps', path], {
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.on('error', () => undefined)
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}
