// How a listener gets its port: a default port that is taken gives way to a free one and says so,
// one that was asked for is an error.

import { fail } from '../base/errors.js'
import { defaultPort, type SettingName, type Settings } from '../base/settings.js'

/** `notes` gets a sentence where the port is another than the default. */
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
