import { type AriaAttributes, type KeyboardEvent, type RefObject, useMemo, useState } from 'react'
import { type Mentionable, mentionAt } from '../lib/mentions.ts'
import { m } from '../messages/ui.ts'
import { foundOptions } from './options.ts'
import { Person } from './person.tsx'
import { apply } from './text-edit.ts'

const MOST = 6

interface Shown {
  from: number
  found: Mentionable[]
  active: number
}

interface ListProps {
  id: string
  shown: Shown | undefined
  onChoose: (person: Mentionable) => void
}

/** People who are meant by what is typed after an `@` in a text field: found, chosen by keys or pointer. */
export function useMentions(
  area: RefObject<HTMLTextAreaElement | null>,
  people: readonly Mentionable[],
  id: string,
) {
  const [shown, setShown] = useState<Shown>()
  const options = useMemo(() => people.map(({ id, name }) => ({ id, label: name })), [people])
  const look = () => {
    const { value = '', selectionStart = 0, selectionEnd = 0 } = area.current ?? {}
    const at = selectionStart === selectionEnd ? mentionAt(value, selectionStart) : undefined
    const found = at
      ? foundOptions(options, at.typed)
          .slice(0, MOST)
          .map((option) => ({ id: option.id, name: option.label }))
      : []
    // A name that stands there whole is no question any more.
    const done = found.some(({ name }) => `${name} ` === at?.typed)
    setShown(at && found.length > 0 && !done ? { from: at.from, found, active: 0 } : undefined)
  }
  const choose = ({ name }: Mentionable) => {
    if (!area.current || !shown) return
    const insert = `@${name} `
    const caret = shown.from + insert.length
    apply(area.current, {
      from: shown.from,
      to: area.current.selectionStart,
      insert,
      select: [caret, caret],
    })
    setShown(undefined)
  }
  /** Whether the list took the key. */
  const press = (event: KeyboardEvent): boolean => {
    if (!shown) return false
    const { found, active } = shown
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const person = found[active]
    if (step !== undefined) {
      setShown({ ...shown, active: (active + step + found.length) % found.length })
    } else if ((event.key === 'Enter' || event.key === 'Tab') && person && !hasModifier(event)) {
      choose(person)
    } else if (event.key === 'Escape') setShown(undefined)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  const aria: AriaAttributes = shown
    ? {
        'aria-controls': `${id}-people`,
        'aria-activedescendant': `${id}-people-${shown.active}`,
        'aria-autocomplete': 'list',
      }
    : { 'aria-autocomplete': 'list' }
  const list: ListProps = { id: `${id}-people`, shown, onChoose: choose }
  return { look, press, close: () => setShown(undefined), aria, list }
}

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey

/** The people found, under the text field. */
export function MentionList({ id, shown, onChoose }: ListProps) {
  if (!shown) return null
  return (
    <div className="mentions float" role="listbox" id={id} aria-label={m.people}>
      {shown.found.map((person, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the text field, which keeps the focus
        <div
          key={person.id}
          role="option"
          id={`${id}-${index}`}
          tabIndex={-1}
          aria-selected={index === shown.active}
          // The text field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(person)}
        >
          <Person name={person.name} named />
        </div>
      ))}
    </div>
  )
}
