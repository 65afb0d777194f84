// The settings in force, and where each comes from: the environment, sigil.json, or the default. It
// changes nothing, since settings are read at the start.

import { useSignal } from '@preact/signals'
import { askJson } from '../lib/api.js'
import { visible } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { isOperator } from '../lib/session.js'
import { DataField } from '../widgets/data-field.js'
import { Scroll } from '../widgets/scroll.js'
import { Empty, Failure, Loading } from '../widgets/states.js'

interface Setting {
  readonly name: string
  readonly value: string
  readonly source: string
  readonly doc: string
}

export function SettingsView() {
  if (!isOperator()) return <Empty>Only the operator sees the settings.</Empty>
  return <Settings />
}

function Settings() {
  const wanted = useSignal('')
  const isSetOnly = useSignal(false)
  const { loaded, reload } = useLoad(async (signal) => {
    const path = '/api/v1/settings'
    return (await askJson<{ settings: Setting[] }>('GET', path, undefined, { signal })).settings
  }, [])
  const { value, error } = loaded.value
  const text = wanted.value.trim().toUpperCase()
  const rows = (value ?? []).filter(
    ({ name, source }) => name.includes(text) && (!isSetOnly.value || source !== 'default'),
  )
  return (
    <section aria-label="Settings">
      <p class="faint">
        As they were read at the start. Secrets are said to be set, and not shown.
      </p>
      <div class="filter">
        <DataField label="Name contains" typed={wanted} shortcut="/" />
        <label class="choice">
          <input
            type="checkbox"
            checked={isSetOnly.value}
            onChange={({ currentTarget }) => {
              isSetOnly.value = currentTarget.checked
            }}
          />
          Only those that are set
        </label>
        <p class="faint" role="status">
          {value !== undefined && `${rows.length} of ${value.length}`}
        </p>
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && rows.length === 0 && <Empty>No setting matches.</Empty>}
      {rows.length > 0 && <Rows rows={rows} />}
    </section>
  )
}

function Rows({ rows }: { rows: readonly Setting[] }) {
  return (
    <Scroll name="Settings in force">
      <table class="settings">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, value, source, doc }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{visible(value)}</td>
              <td>{source}</td>
              <td class="words">{doc}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
