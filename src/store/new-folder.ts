// A store folder that appears when it is complete. Its tables are built in a place beside it, or
// within it if its parent cannot be used, and are linked into it in one step.

import { accessSync, constants, existsSync, linkSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fail, GatewayError } from '../base/errors.js'
import { makeFolders } from '../base/folders.js'
import { nodeFiles } from './files.js'
import { claimFolder, dropFolder, lockEnvironment } from './folder-lock.js'
import { type Environment, openEnvironment } from './tables/lmdb-environment.js'
import { prepareFormat } from './tables/lmdb-format.js'

const dataFile = 'data.mdb'
/** What builds a folder; work folders have these names. */
type Builder = 'restoring' | 'copying'
/** Names that an empty folder may hold: those of the file system and of the builders. */
const ownNames: readonly string[] = ['lost+found', 'restoring', 'copying']

export class NewFolder {
  private isClosed = false

  private constructor(
    readonly folder: string,
    /** Where the tables are built. */
    readonly place: string,
    readonly environment: Environment,
  ) {}

  /**
   * Begins with empty tables, or with `keeps` where a killed builder of the same name has stopped.
   * Throws OperationFailed if the folder is not empty, is in use or cannot be made.
   */
  static open(given: string, builder: Builder, keeps = false): NewFolder {
    const folder = resolve(given)
    requireEmpty(folder)
    const place = placeFor(folder, builder)
    claimFolder(place)
    try {
      return new NewFolder(folder, place, openPlace(place, keeps))
    } catch (error) {
      dropFolder(place)
      if (error instanceof GatewayError) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw fail('OperationFailed', `cannot make the folder ${folder}: ${reason}`)
    }
  }

  /** Makes the store visible: links its file into the folder under its final name. */
  async settle(): Promise<void> {
    const { folder, place } = this
    await this.environment.close()
    requireEmpty(folder)
    makeFolders(folder)
    try {
      // A rename would replace the file of a Sigil that was started in the meantime.
      linkSync(join(place, dataFile), join(folder, dataFile))
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error
      throw fail('OperationFailed', `another process has made a store in ${folder} meanwhile`)
    }
    nodeFiles.syncFolderSync(folder)
    nodeFiles.syncFolderSync(dirname(folder))
    await this.abandon()
  }

  /** Removes what was built, unless it was made visible. */
  async abandon(): Promise<void> {
    await this.close()
    rmSync(this.place, { recursive: true, force: true })
  }

  /** What was built stays for the next run of the builder. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    await this.environment.close()
    dropFolder(this.place)
  }
}

function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) {
    throw fail('OperationFailed', `${folder} is not a folder`)
  }
  const found = readdirSync(folder).find((name) => !ownNames.includes(name))
  if (found === undefined) return
  throw fail(
    'OperationFailed',
    `the folder ${folder} is not empty (${found}): stop Sigil and move the folder away, ` +
      'or name another with STORE',
  )
}

/** A place beside the folder, or within it if the parent is another file system or not writable. */
function placeFor(folder: string, builder: Builder): string {
  const parent = dirname(folder)
  const beside = `${folder}.${builder}`
  if (!existsSync(folder)) return beside
  if (statSync(folder).dev !== statSync(parent).dev) return join(folder, builder)
  try {
    accessSync(parent, constants.W_OK)
    return beside
  } catch {
    return join(folder, builder)
  }
}

/** Opens the environment. Unless it is kept, it removes the remains of a killed builder. */
function openPlace(place: string, keeps: boolean): Environment {
  if (existsSync(join(place, dataFile))) {
    const left = openEnvironment(place)
    try {
      lockEnvironment(left, place)
      if (keeps) {
        prepareFormat(left, place)
        return left
      }
    } catch (error) {
      void left.close()
      throw error
    }
    void left.close()
  }
  rmSync(place, { recursive: true, force: true })
  makeFolders(place)
  const environment = openEnvironment(place)
  lockEnvironment(environment, place)
  prepareFormat(environment, place)
  return environment
}
