// The figures of a chart as a table, for the keyboard, for screen readers, and to copy: a canvas
// has no text.

import { useSignal } from '@preact/signals'
import { Scroll } from '../scroll.js'

interface FiguresTableProps {
  /** Of the chart. */
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: () => readonly (readonly string[])[]
}

/** Nothing is made while it is closed. */
export function FiguresTable({ title, columns, rows }: FiguresTableProps) {
  const isOpen = useSignal(false)
  return (
    <details
      class="figures"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>
        Figures<span class="visually-hidden"> of {title}</span>
      </summary>
      {isOpen.value && (
        <Scroll name={`${title}, as a table`}>
          <table>
            <thead>
              <tr>
                {columns.map((name, index) => (
                  <th key={name} scope="col" class={index === 0 ? '' : 'number'}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows().map(([first = '', ...others]) => (
                <tr key={first}>
                  <th scope="row">{first}</th>
                  {others.map((text, index) => (
                    <td key={columns[index + 1]} class="number">
                      {text}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </details>
  )
}
