// A page whose code is loaded when it is first opened, so that the first view of the Studio stays
// small.

import type { ComponentType } from 'preact'
import { useLoad } from '../lib/load.js'
import { Failure, Loading } from './states.js'

interface LaterProps {
  /** Of the page; the parts of one name are loaded once. */
  readonly name: string
  readonly load: () => Promise<ComponentType>
}

export function Later({ name, load }: LaterProps) {
  const { loaded, reload } = useLoad(load, [name])
  const { value: Page, error, isLoading } = loaded.value
  if (error !== undefined) return <Failure error={error} retry={reload} />
  if (Page === undefined || isLoading) return <Loading />
  return <Page />
}

interface LaterDialogProps {
  readonly name: string
  readonly load: () => Promise<ComponentType<{ close: () => void }>>
  readonly close: () => void
}

/** A dialog whose code is loaded when it is opened. */
export function LaterDialog({ name, load, close }: LaterDialogProps) {
  const { loaded, reload } = useLoad(load, [name])
  const { value: Opened, error } = loaded.value
  if (error !== undefined) return <Failure error={error} retry={reload} />
  return Opened === undefined ? null : <Opened close={close} />
}
