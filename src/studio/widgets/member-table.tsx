// The members of a hash, list, set or sorted set, as inputs. Bytes that are no text, and texts of
// several lines or too long for one, are shown and not edited.

import type { Signal } from '@preact/signals'
import { columnsOf, type Kind, type Member } from '../lib/key-change.js'
import { wordText } from '../lib/keyspace.js'

const lineCharsMax = 10_000

interface TableProps {
  readonly kind: Kind
  readonly members: Signal<readonly Member[]>
}

export function MemberTable({ kind, members }: TableProps) {
  const columns = columnsOf[kind]
  const put = (changed: Member) => {
    members.value = members.value.map((one) => (one.id === changed.id ? changed : one))
  }
  const add = () => {
    // Below the numbers that members have, which are not negative.
    const id = Math.min(0, ...members.value.map((one) => one.id)) - 1
    members.value = [...members.value, { id, now: columns.map(() => ''), isGone: false }]
  }
  return (
    <>
      <div class="scroll members">
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {members.value.map((member, index) => (
              <MemberRow
                key={member.id}
                member={member}
                columns={columns}
                put={put}
                number={index + 1}
              />
            ))}
          </tbody>
        </table>
      </div>
      <div class="actions">
        <button type="button" onClick={add}>
          Add{' '}
          {columns[0] === 'field'
            ? 'a field'
            : columns[0] === 'element'
              ? 'an element'
              : 'a member'}
        </button>
      </div>
    </>
  )
}

/** An input would lose its line breaks. */
function isNoLine(text: string): boolean {
  return text.length > lineCharsMax || /[\r\n]/.test(text)
}

interface RowProps {
  readonly member: Member
  readonly columns: readonly string[]
  readonly number: number
  readonly put: (changed: Member) => void
}

function MemberRow({ member, columns, number, put }: RowProps) {
  const { now, isGone } = member
  return (
    <tr class={isGone ? 'gone' : ''}>
      {columns.map((name, column) => {
        const word = now[column] ?? ''
        const text = wordText(word)
        const isFixed = isGone || typeof word !== 'string' || isNoLine(text)
        return (
          <td key={name}>
            <input
              class="data"
              aria-label={`${name} ${number}`}
              autocomplete="off"
              spellcheck={false}
              readOnly={isFixed}
              value={text.slice(0, lineCharsMax)}
              onInput={({ currentTarget }) => {
                put({ ...member, now: now.with(column, currentTarget.value) })
              }}
            />
          </td>
        )
      })}
      <td class="commands">
        <button
          type="button"
          aria-label={`${isGone ? 'Keep' : 'Remove'} ${number}`}
          onClick={() => put({ ...member, isGone: !isGone })}
        >
          {isGone ? 'Keep' : 'Remove'}
        </button>
      </td>
    </tr>
  )
}
