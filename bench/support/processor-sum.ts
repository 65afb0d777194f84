// Processor time of whole processes with all their threads, and of a PostgreSQL with its backends,
// those that have ended too: what a machine pays for an operation, whoever else uses it.

import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of user and system time; `ended` are those of children that have been waited for. */
function timesOf(pid: number | string): { readonly own: number; readonly ended: number } {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields
    .split(' ')
    .slice(11, 15)
    .map(Number)
  // In ticks of 10 ms.
  return { own: (user + system) * 10, ended: (childUser + childSystem) * 10 }
}

export function processTime(pid: number): number {
  return timesOf(pid).own
}

/** Of the postmaster and everything that it has started. */
export function serverTime(postmaster: number): number {
  const { own, ended } = timesOf(postmaster)
  let sum = own + ended
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
      if (Number(fields.split(' ')[1]) === postmaster) sum += timesOf(pid).own
    } catch {
      // It has just ended, and counts as ended the next time.
    }
  }
  return sum
}
