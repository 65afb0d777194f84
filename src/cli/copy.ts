// `sigil copy --from … --to …`: moves the documents of a data folder into PostgreSQL, or back. Both
// are opened here, so no Sigil may use them. A copy that was interrupted continues.

import { systemClock } from '../base/clock.js'
import { fail } from '../base/errors.js'
import { withoutPassword } from '../base/setting-kinds.js'
import { copyStore } from '../store/copy/copy.js'
import type { CopySource, CopyTarget } from '../store/copy/ends.js'
import { type Address, parseAddress } from '../store/postgres/address.js'
import { openProgress, type Progress, sizeText } from './progress.js'

interface Given {
  readonly from: string
  readonly to: string
}

type Place =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'tables'; readonly address: Address }

/** Returns the exit code. */
export async function runCopy({ from, to }: Given): Promise<number> {
  const [source, target] = [placeOf('--from', from), placeOf('--to', to)]
  if (source.kind === target.kind) {
    const backup = 'sigil backup and sigil restore'
    const way = source.kind === 'folder' ? backup : `pg_dump, or ${backup}`
    throw fail('InvalidOptions', `one end is a data folder, the other PostgreSQL; else use ${way}`)
  }
  const begun = systemClock.elapsed()
  const opened = await openSource(source)
  try {
    const { pairs, bytes } = await copyInto(opened, await openTarget(target, withoutPassword(from)))
    const seconds = Math.round((systemClock.elapsed() - begun) / 1_000)
    const amount = `${pairs} entries, ${sizeText(bytes)}`
    say(`${amount}, copied to ${withoutPassword(to)} and compared, in ${seconds} s`)
    return 0
  } finally {
    await opened.close()
  }
}

async function copyInto(
  source: CopySource,
  target: CopyTarget,
): Promise<{ readonly pairs: number; readonly bytes: number }> {
  let bar: Progress | undefined
  let shown = ''
  if (target.last !== undefined) say('An interrupted copy continues.')
  try {
    return await copyStore(source, target, (phase, entries) => {
      if (phase !== shown) {
        bar?.stop()
        bar = openProgress(source.pairs, `{entries} entries ${phase}`, { entries: 0 })
        shown = phase
      }
      bar?.update(entries, { entries })
    })
  } finally {
    bar?.stop()
    await target.close()
  }
}

function placeOf(option: string, text: string): Place {
  const folder = /^lmdb:(.+)$/.exec(text)?.[1]
  if (folder !== undefined) return { kind: 'folder', folder }
  if (/^postgres(?:ql)?:\/\/[^/@]*:[^/@]*@|[?&]password=/.test(text)) {
    const text =
      'other users can read the command line: put the password into PGPASSWORD or ~/.pgpass'
    throw fail('InvalidOptions', `${option}: ${text}`)
  }
  const address = parseAddress(text)
  if (address !== undefined) return { kind: 'tables', address }
  throw fail('InvalidOptions', `${option} ${text}: must be lmdb:<folder> or postgres://…`)
}

async function openSource(place: Place): Promise<CopySource> {
  if (place.kind === 'folder') {
    const { FolderSource } = await import('../store/copy/folder-ends.js')
    return FolderSource.open(place.folder)
  }
  const { PostgresSource } = await import('../store/postgres/copy/copy-ends.js')
  return PostgresSource.open(place.address)
}

async function openTarget(place: Place, source: string): Promise<CopyTarget> {
  if (place.kind === 'folder') {
    const { FolderTarget } = await import('../store/copy/folder-ends.js')
    return FolderTarget.open(place.folder, source)
  }
  const { PostgresTarget } = await import('../store/postgres/copy/copy-ends.js')
  return PostgresTarget.open(place.address, source)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
