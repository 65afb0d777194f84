// A disk that loses its power: it takes the events of a journal, and at any point answers with a
// folder as it may be found afterwards. What was synced is there. Of what was not, each page is
// there or not, in any state that it had since, each file has any of its sizes since, and each name
// is there or not.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DiskFile } from './disk-file.js'
import type { Event } from './journal.js'

/** Files by path; undefined is a folder. Every folder stands before what is in it. */
type Image = ReadonlyMap<string, Buffer | undefined>

type Random = () => number

class Folder {
  readonly entries = new Map<string, Entry>()
}

type Entry = DiskFile | Folder

/** Something done to names; it is durable once `parent` has been synced. */
interface NameChange {
  readonly order: number
  readonly parent: Folder
  readonly name: string
  /** What the name stands for from now on; undefined: nothing. */
  readonly entry: Entry | undefined
  /** A name that goes in the same moment. */
  readonly from?: { readonly parent: Folder; readonly name: string }
}

/** How an unsynced name may be found after a cut. */
const nameChances = [0, 0.5, 0.5, 1]

export class Disk {
  private readonly root = new Folder()
  private readonly byInode = new Map<bigint, Entry>()
  private readonly syncs = new Map<number, number>()
  private pending: NameChange[] = []
  /** The names as the process sees them, by path. */
  private readonly present = new Map<string, Entry>([['.', this.root]])
  private readonly outside: string
  private order = 0

  /**
   * Starts with the files of `folder`, all of them durable; empty without. The file `outside` is
   * not on this disk, whatever is done to it.
   */
  constructor(outside: string, folder?: string) {
    this.outside = outside
    if (folder !== undefined) this.load(folder, '.')
  }

  apply(event: Event): void {
    this.order++
    switch (event.kind) {
      case 'open':
        this.opened(event)
        break
      case 'write':
        this.file(event.file)?.write(this.order, event.offset, event.bytes, event.durable)
        break
      case 'truncate':
        this.file(event.file)?.truncate(this.order, event.size)
        break
      case 'syncBegin':
        this.syncs.set(event.number, this.order)
        break
      case 'syncEnd':
        this.synced(event.file, this.syncs.get(event.number) ?? 0, event.failed)
        break
      case 'mkdir':
        this.name(event.path, new Folder())
        break
      case 'unlink':
      case 'rmdir':
        this.name(event.path, undefined)
        break
      case 'rename':
        this.rename(event.from, event.to)
        break
      case 'fault':
        break
      default:
        event satisfies never
    }
  }

  /** What the process sees: everything is there. */
  current(): Image {
    const image = new Map<string, Buffer | undefined>()
    for (const [path, entry] of this.present) {
      if (path !== '.') image.set(path, entry instanceof DiskFile ? entry.latest() : undefined)
    }
    return new Map([...image].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** What may be found after the power was cut now. */
  afterCut(random: Random): Image {
    const kept = pick(nameChances, random)
    const changed = new Map<Folder, Map<string, Entry>>()
    const entriesOf = (folder: Folder) => {
      const entries = changed.get(folder) ?? new Map(folder.entries)
      changed.set(folder, entries)
      return entries
    }
    for (const change of this.pending) if (random() < kept) applyName(change, entriesOf)
    const image = new Map<string, Buffer | undefined>()
    const collect = (folder: Folder, path: string) => {
      for (const [name, entry] of entriesOf(folder)) {
        const below = join(path, name)
        image.set(below, entry instanceof DiskFile ? entry.afterCut(random) : undefined)
        if (entry instanceof Folder) collect(entry, below)
      }
    }
    collect(this.root, '.')
    return image
  }

  private opened(event: Event & { readonly kind: 'open' }): void {
    if (event.path === this.outside) return
    if (event.created) this.name(event.path, new DiskFile())
    const entry = this.present.get(event.path)
    if (entry === undefined) throw new Error(`${event.path} was opened, but nothing made it`)
    this.byInode.set(event.file, entry)
    if (event.emptied && entry instanceof DiskFile) entry.truncate(this.order, 0)
  }

  private synced(inode: bigint, begun: number, failed: boolean): void {
    const entry = this.byInode.get(inode)
    if (entry instanceof DiskFile) {
      if (failed) entry.syncFailed(begun)
      else entry.synced(begun)
    }
    if (!(entry instanceof Folder) || failed) return
    const isDone = (change: NameChange) => change.parent === entry && change.order <= begun
    for (const change of this.pending) {
      if (isDone(change)) applyName(change, (folder) => folder.entries)
    }
    this.pending = this.pending.filter((change) => !isDone(change))
  }

  private name(path: string, entry: Entry | undefined): void {
    const parent = this.parentOf(path)
    this.pending.push({ order: this.order, parent, name: nameOf(path), entry })
    if (entry === undefined) this.present.delete(path)
    else this.present.set(path, entry)
  }

  private rename(from: string, to: string): void {
    const entry = this.present.get(from)
    if (!(entry instanceof DiskFile)) throw new Error(`${from} was renamed, but is no file`)
    const gone = { parent: this.parentOf(from), name: nameOf(from) }
    const parent = this.parentOf(to)
    this.pending.push({ order: this.order, parent, name: nameOf(to), entry, from: gone })
    this.present.delete(from)
    this.present.set(to, entry)
  }

  private parentOf(path: string): Folder {
    const parent = this.present.get(dirname(path))
    if (parent instanceof Folder) return parent
    throw new Error(`${path} lies in no folder`)
  }

  private file(inode: bigint): DiskFile | undefined {
    const entry = this.byInode.get(inode)
    return entry instanceof DiskFile ? entry : undefined
  }

  private load(folder: string, path: string): void {
    const into = this.present.get(path)
    if (!(into instanceof Folder)) return
    for (const found of readdirSync(join(folder, path), { withFileTypes: true })) {
      const below = join(path, found.name)
      if (below === this.outside) continue
      const isFolder = found.isDirectory()
      const entry = isFolder ? new Folder() : new DiskFile(readFileSync(join(folder, below)))
      into.entries.set(found.name, entry)
      this.present.set(below, entry)
      if (isFolder) this.load(folder, below)
    }
  }
}

/** Makes `folder` with the files of an image. */
export function writeImage(image: Image, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [path, bytes] of image) {
    if (bytes === undefined) mkdirSync(join(folder, path))
    else writeFileSync(join(folder, path), bytes)
  }
}

function applyName(change: NameChange, entriesOf: (folder: Folder) => Map<string, Entry>): void {
  const { parent, name, entry, from } = change
  if (from !== undefined) {
    const old = entriesOf(from.parent)
    if (old.get(from.name) !== entry) return
    old.delete(from.name)
  }
  if (entry === undefined) entriesOf(parent).delete(name)
  else entriesOf(parent).set(name, entry)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function pick<T>(choices: readonly T[], random: Random): T {
  return choices[Math.floor(random() * choices.length)] as T
}
