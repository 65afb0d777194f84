// Selects a listener's port: if the default port is taken, a free one is used and noted; if a port
// from the settings is taken, it is an error.

import { fail } from '../base/errors.js'
import { defaultPort, type SettingName, type Settings } from '../base/settings.js'

/** `notes` gets a sentence if the port is not the default. */
export async function onPort<T extends { readonly port: number }>(
  settings: Settings,
  name: SettingName & `${string}_PORT`,
  notes: string[],
  open: (port: number) => Promise<T>,
): Promise<T> {
  const port = settings[name]
  try {
    return await open(port)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'EACCES') throw fail('InvalidOptions', `${name}=${port}: permission denied`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw fail('InvalidOptions', `HOST=${settings.HOST} is not an address of this machine`)
    }
    if (code !== 'EADDRINUSE') throw error
    if (port !== defaultPort(name) || settings.explicit.has(name)) {
      throw fail('InvalidOptions', `${name}=${port}: the port is in use`)
    }
  }
  const opened = await open(0)
  notes.push(`Port ${port} is in use; ${name} took ${opened.port} instead.`)
  return opened
}
