// The fields of a validator: its rules as JSON, which writes it checks, and what it does with a
// document that does not fit.

import type { Signal } from '@preact/signals'
import { actions, levels, type Validation } from '../../lib/collections/collection-changes.js'

const levelWords = {
  strict: 'strict: all writes',
  moderate: 'moderate: documents that fit already, and new ones',
  off: 'off: no writes',
} as const

const actionWords = {
  error: 'error: refuse the write',
  warn: 'warn: write it, with a line in the log',
} as const

interface ValidatorProps {
  readonly typed: Signal<Validation>
  readonly isReadOnly?: boolean
}

export function ValidatorFields({ typed, isReadOnly = false }: ValidatorProps) {
  const change = (part: Partial<Validation>) => {
    typed.value = { ...typed.value, ...part }
  }
  return (
    <>
      <label class="wide">
        Validator as JSON (empty: none)
        <textarea
          class="data"
          rows={8}
          spellcheck={false}
          readOnly={isReadOnly}
          placeholder={'{"$jsonSchema": {"required": ["title"]}}'}
          value={typed.value.validator}
          onInput={({ currentTarget }) => change({ validator: currentTarget.value })}
        />
      </label>
      <label>
        Level
        <select
          value={typed.value.level}
          disabled={isReadOnly}
          onChange={({ currentTarget }) => change({ level: currentTarget.value })}
        >
          {levels.map((one) => (
            <option key={one} value={one}>
              {levelWords[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Action
        <select
          value={typed.value.action}
          disabled={isReadOnly}
          onChange={({ currentTarget }) => change({ action: currentTarget.value })}
        >
          {actions.map((one) => (
            <option key={one} value={one}>
              {actionWords[one]}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}
