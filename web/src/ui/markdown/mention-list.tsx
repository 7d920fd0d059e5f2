import { type AriaAttributes, type KeyboardEvent, type RefObject, useMemo, useState } from 'react'
import { formatMention } from '../../lib/markdown/format-mention.ts'
import { findMentionAt, type Mentionable, uniqueIdsByName } from '../../lib/markdown/mentions.ts'
import { markdownMessages } from '../../messages/app/markdown.ts'
import { Avatar } from '../marks/avatar.tsx'
import type { PickerOption } from '../overlays/overlay-stack.ts'
import { filterOptions } from '../overlays/picker-options.ts'
import { applyTextEdit } from './apply-text-edit.ts'

const MAX_SUGGESTIONS = 6

interface MentionSuggestions {
  from: number
  matches: Mentionable[]
  active: number
}

interface MentionListProps {
  id: string
  suggestions: MentionSuggestions | undefined
  onChoose: (person: Mentionable) => void
}

/** Suggests people to mention for the text after an `@` in a text field. */
export function useMentions(
  area: RefObject<HTMLTextAreaElement | null>,
  people: readonly Mentionable[],
  id: string,
) {
  const [suggestions, setSuggestions] = useState<MentionSuggestions>()
  const options = useMemo(() => listOptions(people), [people])
  const update = () => {
    const { value = '', selectionStart = 0, selectionEnd = 0 } = area.current ?? {}
    const at = selectionStart === selectionEnd ? findMentionAt(value, selectionStart) : undefined
    const matches = at
      ? filterOptions(options, at.typed)
          .slice(0, MAX_SUGGESTIONS)
          .map(({ id, label, hint }) => ({ id, name: label, email: hint ?? null }))
      : []
    // A fully typed name needs no suggestions, unless others have it too.
    const isComplete = matches.some((one) => `${formatMention(one, people)} ` === `@${at?.typed}`)
    setSuggestions(
      at && matches.length > 0 && !isComplete ? { from: at.from, matches, active: 0 } : undefined,
    )
  }
  const choose = (person: Mentionable) => {
    if (!area.current || !suggestions) return
    const insert = `${formatMention(person, people)} `
    const caret = suggestions.from + insert.length
    applyTextEdit(area.current, {
      from: suggestions.from,
      to: area.current.selectionStart,
      insert,
      select: [caret, caret],
    })
    setSuggestions(undefined)
  }
  /** Returns whether the list handled the key. */
  const handleKeyDown = (event: KeyboardEvent): boolean => {
    if (!suggestions) return false
    const { matches, active } = suggestions
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const person = matches[active]
    if (step !== undefined) {
      setSuggestions({ ...suggestions, active: (active + step + matches.length) % matches.length })
    } else if ((event.key === 'Enter' || event.key === 'Tab') && person && !hasModifier(event)) {
      choose(person)
    } else if (event.key === 'Escape') setSuggestions(undefined)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  const aria: AriaAttributes = suggestions
    ? {
        'aria-controls': `${id}-people`,
        'aria-activedescendant': `${id}-people-${suggestions.active}`,
        'aria-autocomplete': 'list',
      }
    : { 'aria-autocomplete': 'list' }
  const list: MentionListProps = { id: `${id}-people`, suggestions, onChoose: choose }
  return { update, handleKeyDown, close: () => setSuggestions(undefined), aria, list }
}

/** The email address tells people of the same name apart. */
function listOptions(people: readonly Mentionable[]): PickerOption[] {
  const names = uniqueIdsByName(people)
  return people.map(({ id, name, email }) => ({
    id,
    label: name,
    ...(!names.has(name) && email && { hint: email }),
  }))
}

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey

/** The suggested people, under the text field. */
export function MentionList({ id, suggestions, onChoose }: MentionListProps) {
  if (!suggestions) return null
  return (
    <div className="mentions float" role="listbox" id={id} aria-label={markdownMessages.people}>
      {suggestions.matches.map((person, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the text field, which keeps the focus
        <div
          key={person.id}
          role="option"
          id={`${id}-${index}`}
          tabIndex={-1}
          aria-selected={index === suggestions.active}
          // Keeps the focus in the text field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(person)}
        >
          <Avatar name={person.name} named />
          {person.email && <span className="quiet clip">{person.email}</span>}
        </div>
      ))}
    </div>
  )
}
